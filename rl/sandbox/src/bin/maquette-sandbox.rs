//! The spawner of an engine, and what this machine can do: `maquette-sandbox levels [--json]`.

use sandbox::{Engine, EngineConfig, EngineError, Isolation, Level, spawner_main};
use std::process::ExitCode;

const SPAWNER: &str = "spawner";
/// Of a machine that isolates less than it should.
const NOT_FULL: u8 = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [SPAWNER] => spawner_main().map_or_else(|error| failed(&error.to_string()), |()| ExitCode::SUCCESS),
        ["levels"] => levels(false),
        ["levels", "--json"] => levels(true),
        _ => failed("maquette-sandbox levels [--json]: how well this machine isolates; exit code 3 where not fully"),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn levels(as_json: bool) -> ExitCode {
    let Ok(own) = std::env::current_exe() else { return failed("this program does not know where it is") };
    let spawner = vec![own.to_string_lossy().into_owned(), SPAWNER.to_owned()];
    let config = EngineConfig { required: Level::Rootless, ..EngineConfig::new(spawner) };
    let isolation = match Engine::start(config) {
        Ok(engine) => engine.isolation().clone(),
        Err(EngineError::Level { isolation, .. }) => *isolation,
        Err(error) => return failed(&error.to_string()),
    };
    if as_json {
        println!("{}", serde_json::to_string(&isolation).unwrap_or_default());
    } else {
        tell(&isolation);
    }
    if isolation.level == Level::Full { ExitCode::SUCCESS } else { ExitCode::from(NOT_FULL) }
}

fn tell(isolation: &Isolation) {
    println!("level: {:?}", isolation.level);
    for barrier in &isolation.barriers {
        println!("{} {}: {}", if barrier.holds { "holds " } else { "BROKEN" }, barrier.name, barrier.how);
    }
    for missing in &isolation.missing {
        println!("missing: {}. {}", missing.what, missing.fix);
    }
}
