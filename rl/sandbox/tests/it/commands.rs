use crate::harness::{engine, limits};
use crate::harness::{printed, python, run, run_in, run_with};
use sandbox::{Command, Event, Exit, Limits};
use std::time::Duration;

#[test]
fn a_command_has_its_output_exit_code_and_time() {
    let report = run(&Command::shell("echo out; echo err >&2; exit 3"));
    assert_eq!(
        (report.exit, report.stdout.text(), report.stderr.text()),
        (Exit::Code(3), "out\n".into(), "err\n".into())
    );
    assert!(report.events.is_empty() && report.wall_us > 0 && report.memory_peak_bytes.unwrap() > 0);
    assert_eq!(run(&Command::shell("kill -TERM $$")).exit, Exit::Signal(15));
}

#[test]
fn a_program_that_is_not_there_is_not_started() {
    let report = run(&Command::new(["no-such-program"]));
    let Exit::NotStarted { what, errno } = report.exit else { panic!("{:?}", report.exit) };
    assert!(what.contains("no-such-program") && errno == 2, "{what}: {errno}");
    let nowhere = Command { cwd: "/nowhere".into(), ..Command::new(["true"]) };
    assert!(matches!(run(&nowhere).exit, Exit::NotStarted { errno: 2, .. }));
    let tree = engine().tree().unwrap();
    let (_, tree) = printed(&tree, "echo text > script");
    assert!(matches!(run_in(&tree, &Command::new(["./script"]), &limits()).0.exit, Exit::NotStarted { errno: 13, .. }));
}

#[test]
fn standard_input_environment_and_folder_are_those_given() {
    let mut command = Command::shell("cat; echo $GREETING; pwd; env | wc -l");
    command.stdin = b"read\n".to_vec();
    command.env.insert("GREETING".into(), "hello".into());
    command.cwd = "/tmp".into();
    // With PWD, which the shell adds.
    assert_eq!(run(&command).stdout.text(), "read\nhello\n/tmp\n7\n");
}

#[test]
fn nothing_of_the_engine_is_inherited() {
    let script = "import os\nprint(sorted(int(fd) for fd in os.listdir('/proc/self/fd'))[:4])\nprint(os.getpgid(0) == os.getsid(0), os.getppid())";
    // 3 is the folder that is being listed.
    assert_eq!(run(&python(script)).stdout.text(), "[0, 1, 2, 3]\nTrue 1\n");
}

#[test]
fn compilers_and_interpreters_work() {
    let script = "printf '#include <stdio.h>\\nint main(){puts(\"c\");}' > t.c && cc t.c -o t && ./t\n\
                  python3 -c 'print(6 * 7)'; git --version | cut -c1-3; ps -o pid= -p $$ | wc -l";
    assert_eq!(run(&Command::shell(script)).stdout.text(), "c\n42\ngit\n1\n");
}

#[test]
fn a_daemon_is_counted_and_gone_and_does_not_hold_the_output() {
    let script = "(setsid sleep 1000 &) ; (setsid sh -c 'trap \"\" TERM HUP; sleep 1000' &) ; sleep 0.2; echo done";
    let report = run(&Command::shell(script));
    assert_eq!(report.stdout.text(), "done\n");
    assert_eq!(report.exit, Exit::Code(0));
    // The second is a shell and its child.
    assert_eq!(report.events, [Event::LeftoverProcesses { count: 3 }]);
    assert!(report.wall_us < 5_000_000);
}

#[test]
fn a_command_line_that_is_too_long_is_refused() {
    let error = engine().run(&engine().tree().unwrap(), &Command::new(["x".repeat(100_000)]), &limits()).unwrap_err();
    assert!(error.to_string().contains("are allowed"), "{error}");
}

#[test]
fn many_run_at_once_and_see_nothing_of_each_other() {
    std::thread::scope(|scope| {
        for index in 0..16 {
            scope.spawn(move || {
                let script = format!("echo {index} > own; sleep 0.2; ls | wc -l; cat own");
                let text = run_with(&Command::shell(&script), &Limits { wall: Duration::from_secs(60), ..limits() });
                assert_eq!(text.stdout.text(), format!("1\n{index}\n"));
            });
        }
    });
}
