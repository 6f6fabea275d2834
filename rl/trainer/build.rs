//! Puts the place of libtorch into the binaries, so that they need no LD_LIBRARY_PATH. `torch-sys` tells it to direct
//! dependents only.

fn main() {
    if let Ok(lib) = std::env::var("DEP_TCH_LIBTORCH_LIB") {
        println!("cargo:rustc-link-arg=-Wl,-rpath={lib}");
    }
}
