//! What the self-test tries from inside a sandbox, where a command would run. Nothing here does harm where it succeeds:
//! files are opened for writing and not written to, sockets are made and not used.

use crate::sys;
use crate::wire::{Barrier, Probe};
use std::fs::{self, OpenOptions};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(600);
const PAGE: usize = 4096;
const AF_VSOCK: u64 = libc::AF_VSOCK as u64;

/// Barriers are told on standard output, one a line as JSON.
pub(crate) fn run(probe: Probe) {
    match probe {
        Probe::Barriers => {
            for (name, tried) in barriers() {
                let (holds, how) = match tried {
                    Ok(how) => (true, how),
                    Err(how) => (false, how),
                };
                let barrier = Barrier { name: name.to_owned(), holds, how };
                println!("{}", serde_json::to_string(&barrier).unwrap_or_default());
            }
        }
        Probe::Memory { bytes } => {
            let mut memory: Vec<u8> = Vec::new();
            if memory.try_reserve_exact(bytes).is_ok() {
                memory.extend((0..bytes).map(|index| (index / PAGE) as u8));
            }
            println!("{}", memory.len());
        }
        Probe::Processes { count } => {
            let started = (0..count).map_while(|_| thread::Builder::new().spawn(|| thread::sleep(LONG)).ok());
            println!("{}", started.count());
        }
        Probe::Sleep => thread::sleep(LONG),
    }
}

/// `Ok` where it holds; both tell what was seen.
type Tried = Result<String, String>;

fn barriers() -> Vec<(&'static str, Tried)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map_or_else(|| "nothing".to_owned(), |value| value.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let is = |name: &str, expected: &str| {
        let found = field(name);
        if found == expected { Ok(format!("{name} {found}")) } else { Err(format!("{name} {found}, not {expected}")) }
    };
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let capabilities = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map(|name| is(name, "0000000000000000"));
    vec![
        ("user", is("Uid", "1000 1000 1000 1000")),
        ("users of the host", host_ids(&map)),
        ("capabilities", capabilities.into_iter().collect::<Result<Vec<_>, _>>().map(|all| all.join(", "))),
        ("no new privileges", is("NoNewPrivs", "1")),
        ("system call filter", is("Seccomp", "2")),
        ("processes", alone()),
        ("first process", denied("/proc/1/environ", fs::File::open("/proc/1/environ").map(drop))),
        ("memory of the first process", denied("/proc/1/mem", fs::File::open("/proc/1/mem").map(drop))),
        ("kernel settings", denied("/proc/sys/kernel/core_pattern", writable("/proc/sys/kernel/core_pattern"))),
        ("toolchains", denied("/usr", OpenOptions::new().write(true).create_new(true).open("/usr/.x").map(drop))),
        ("files of the host", denied("/var/lib", fs::read_dir("/var/lib").map(drop))),
        (
            "workspace",
            fs::write("/work/.probe", "")
                .map_or_else(|error| Err(error.to_string()), |()| Ok("/work is writable".into())),
        ),
        ("network", interfaces()),
        ("loopback", loopback()),
        ("outside", denied("192.0.2.1:9", TcpStream::connect("192.0.2.1:9").map(drop))),
        ("virtual machine sockets", refused("socket(AF_VSOCK)", libc::SYS_socket, [AF_VSOCK, 1, 0, 0, 0])),
        (
            "new namespaces",
            refused("unshare(CLONE_NEWUSER)", libc::SYS_unshare, [libc::CLONE_NEWUSER as u64, 0, 0, 0, 0]),
        ),
        ("tracing", refused("ptrace(PTRACE_ATTACH, 1)", libc::SYS_ptrace, [libc::PTRACE_ATTACH as u64, 1, 0, 0, 0])),
        ("bpf", refused("bpf", libc::SYS_bpf, [0; 5])),
        ("io_uring", refused("io_uring_setup", libc::SYS_io_uring_setup, [1, 0, 0, 0, 0])),
        ("keys", refused("keyctl", libc::SYS_keyctl, [0; 5])),
        ("mounts", refused("mount", libc::SYS_mount, [0; 5])),
    ]
}

fn refused(what: &str, number: i64, arguments: [u64; 5]) -> Tried {
    match sys::attempt(number, arguments) {
        Err(libc::EPERM) => Ok(format!("{what}: EPERM")),
        Err(errno) => Err(format!("{what}: errno {errno}, not EPERM")),
        Ok(given) => Err(format!("{what} gives {given}")),
    }
}

fn denied(what: &str, tried: io::Result<()>) -> Tried {
    match tried {
        Err(error) => Ok(format!("{what}: {error}")),
        Ok(()) => Err(format!("{what} is open")),
    }
}

fn writable(path: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path).map(drop)
}

/// None of the ids inside is root outside.
fn host_ids(map: &str) -> Tried {
    let fields: Vec<u64> = map.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let is_whole = !fields.is_empty() && fields.len().is_multiple_of(3);
    // In a namespace within another, these are ids of that one.
    let maps_root = fields.chunks(3).any(|line| line[1] == 0 && line[2] > 1);
    let how = format!("uid_map {}", map.split_whitespace().collect::<Vec<_>>().join(" "));
    if is_whole && !maps_root { Ok(how) } else { Err(how) }
}

fn alone() -> Tried {
    let entries = fs::read_dir("/proc").map_err(|error| error.to_string())?;
    let is_pid =
        |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let count = entries.flatten().filter(|entry| is_pid(&entry.file_name())).count();
    let how = format!("{count} processes in /proc");
    if count <= 2 { Ok(how) } else { Err(how) }
}

fn interfaces() -> Tried {
    let text = fs::read_to_string("/proc/net/dev").map_err(|error| error.to_string())?;
    let names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once(':')?.0.trim())).collect();
    let how = format!("interfaces: {}", names.join(", "));
    if names == ["lo"] { Ok(how) } else { Err(how) }
}

fn loopback() -> Tried {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    TcpStream::connect(address).map(|_| "127.0.0.1 answers".to_owned()).map_err(|error| error.to_string())
}
