//! The spawner of an engine, how well this machine isolates, and one command in a sandbox, to try it.

use sandbox::{Command, Engine, EngineConfig, EngineError, Exit, Isolation, Level, Limits, spawner_main};
use std::io::{self, Write};
use std::process::ExitCode;

const SPAWNER: &str = "spawner";
const USAGE: &str = "\
maquette-sandbox levels [--json]     how well this machine isolates; exit code 3 where not fully
maquette-sandbox run PROGRAM [ARG]…  runs it in an empty folder, with the default limits, and tells what it tried;
                                     exit code that of the program, 125 where the sandbox ended it
maquette-sandbox run sh -c 'LINE'    the same for a line of the shell";
/// Of a machine that isolates less than it should.
const NOT_FULL: u8 = 3;
/// As `timeout` and `env` say it of what is not the program's own end.
const ENDED: u8 = 125;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [SPAWNER] => spawner_main().map_or_else(|error| failed(&error.to_string()), |()| ExitCode::SUCCESS),
        ["levels"] => levels(false),
        ["levels", "--json"] => levels(true),
        ["run", program, ..] if !program.starts_with('-') => run(&arguments[1..]),
        ["--help" | "-h" | "help"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => failed(USAGE),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn config() -> EngineConfig {
    let own =
        std::env::current_exe().map_or_else(|_| "maquette-sandbox".into(), |own| own.to_string_lossy().into_owned());
    EngineConfig::new(vec![own, SPAWNER.to_owned()])
}

fn levels(as_json: bool) -> ExitCode {
    let isolation = match Engine::start(EngineConfig { required: Level::Rootless, ..config() }) {
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

fn run(argv: &[String]) -> ExitCode {
    let ran = Engine::start(config()).and_then(|engine| {
        let tree = engine.tree()?;
        engine.run(&tree, &Command::new(argv.iter().map(String::as_str)), &Limits::default())
    });
    let report = match ran {
        Ok((report, _)) => report,
        Err(error) => return failed(&error.to_string()),
    };
    // Who wanted to read it may have gone.
    let _ = io::stdout().write_all(report.stdout.text().as_bytes());
    let _ = io::stderr().write_all(report.stderr.text().as_bytes());
    for event in &report.events {
        eprintln!("sandbox: {event:?}");
    }
    eprintln!("sandbox: {:?} after {} ms, {} changes", report.exit, report.wall_us / 1000, report.changes_total);
    match report.exit {
        Exit::Code(code) => ExitCode::from(u8::try_from(code).unwrap_or(ENDED)),
        Exit::Signal(_) | Exit::Killed | Exit::NotStarted { .. } => ExitCode::from(ENDED),
    }
}
