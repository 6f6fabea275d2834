use crate::harness::{engine, limits, printed, run_in};
use sandbox::{ChangeKind, Command, FileError};

const MANY: usize = 80;

#[test]
fn a_rollback_is_an_earlier_value_whatever_came_after() {
    let engine = engine();
    let (_, first) = printed(
        &engine.tree().unwrap(),
        "mkdir -p a/b; echo 1 > a/b/c; ln -s a/b/c link; echo x > /home/user/own; echo y > /tmp/t",
    );
    let (_, second) = printed(&first, "rm -rf /work/* /home/user/* /tmp/*; mkdir a; echo 2 > a/b; ls -A /work | wc -l");
    assert_eq!(printed(&second, "cat a/b; ls /tmp /home/user | wc -l").0, "2\n3\n");
    // Three lines of headings.
    assert_eq!(printed(&first, "cat a/b/c link /home/user/own /tmp/t").0, "1\n1\nx\ny\n");
    let (report, _) = run_in(&first, &Command::shell("sleep 100 & rm -rf /work/*; kill -9 $$"), &limits());
    assert!(!report.exit.is_success());
    assert_eq!(printed(&first, "cat link").0, "1\n");
}

#[test]
fn siblings_grow_apart_and_fill_nobodys_disk_but_their_own() {
    let engine = engine();
    let (_, shared) = printed(&engine.tree().unwrap(), "echo shared > file");
    let small = sandbox::Limits { disk_bytes: 8 << 20, ..limits() };
    let (full, one) = run_in(&shared, &Command::shell("echo one > file; cat /dev/zero > zeros"), &small);
    assert!(!full.events.is_empty());
    let (_, other) = printed(&shared, "echo other >> file; head -c 4000000 /dev/zero > zeros");
    assert_eq!(engine.view(&one).unwrap().read("work/file", 100).unwrap(), b"one\n");
    assert_eq!(engine.view(&other).unwrap().read("work/file", 100).unwrap(), b"shared\nother\n");
}

#[test]
fn commands_on_one_tree_at_once_do_not_meet() {
    let engine = engine();
    let (_, tree) = printed(&engine.tree().unwrap(), "echo 0 > file");
    std::thread::scope(|scope| {
        for index in 0..8 {
            let tree = &tree;
            scope.spawn(move || {
                let (text, _) = printed(tree, &format!("echo {index} >> file; sleep 0.1; cat file; rm file"));
                assert_eq!(text, format!("0\n{index}\n"));
            });
        }
    });
    assert_eq!(printed(&tree, "cat file").0, "0\n");
}

#[test]
fn deep_trees_are_flattened_and_show_the_same() {
    let engine = engine();
    let mut tree = engine.tree().unwrap();
    let mut deepest = 0;
    for step in 0..MANY {
        let script = format!(
            "mkdir -p d{}; echo {step} > d{}/f{step}; rm -rf d{}; echo {step} > last; chmod 7{}5 last",
            step % 7,
            step % 7,
            (step + 3) % 7,
            step % 8
        );
        (_, tree) = printed(&tree, &script);
        deepest = deepest.max(tree.depth());
    }
    assert!(deepest <= 65 && tree.depth() < MANY, "{deepest} {}", tree.depth());
    let listing = "find /work -mindepth 1 -printf '%P %y %m %U %T@ %s\\n' | sort";
    let before = printed(&tree, listing).0;
    let flat = engine.flattened(&tree, 1).unwrap();
    assert_eq!((flat.depth(), printed(&flat, listing).0), (2, before));
    assert_eq!(printed(&flat, "cat last; ls -d d* | wc -l").0, format!("{}\n4\n", MANY - 1));
}

/// Random commands: what is flattened shows the same files, also where it is flattened again.
#[test]
fn flattening_changes_nothing_whatever_was_done() {
    const COMMANDS: usize = 10;
    let engine = engine();
    let actions = r#"
import os, random, shutil, sys
random.seed(sys.argv[1])
def place(): return '/'.join(random.choice('abc') for _ in range(random.randint(1, 3)))
for _ in range(12):
    path, other, kind = place(), place(), random.randrange(8)
    try:
        if kind < 2: os.makedirs(path, exist_ok=True)
        elif kind < 4: open(path, 'a').write(sys.argv[1] + '\n')
        elif kind == 4: shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        elif kind == 5: os.symlink(other, path)
        elif kind == 6: os.link(path, other)
        elif random.random() < .5: os.chmod(path, random.choice([0o755, 0o700, 0o777]))
        else: shutil.move(path, other)
    except (OSError, shutil.Error): pass
"#;
    // Every file is opened, too: what is listed must be there.
    let files = "find . -type f -exec sha256sum {} + | sort; find . -type d -exec ls -a {} + | sort; ";
    let listing = format!("{files}find . -printf '%p %y %m %U %l\\n' | sort");
    let with_times = format!("{files}find . -printf '%p %y %m %U %l %T@\\n' | sort");
    for seed in 0..8 {
        let mut tree = engine.tree().unwrap();
        let mut flat = tree.clone();
        for step in 0..COMMANDS {
            let action = Command::new(["/usr/bin/python3", "-c", actions, &format!("{seed}-{step}")]);
            (_, tree) = run_in(&tree, &action, &limits());
            (_, flat) = run_in(&flat, &action, &limits());
            if step % 3 == 2 {
                flat = engine.flattened(&flat, 1 + seed % 2).unwrap();
            }
        }
        assert_eq!(printed(&flat, &listing).0, printed(&tree, &listing).0, "seed {seed}");
        let at_once = engine.flattened(&tree, 1).unwrap();
        assert_eq!(printed(&at_once, &with_times).0, printed(&tree, &with_times).0, "seed {seed}");
    }
}

#[test]
fn what_a_command_has_changed_is_told() {
    let engine = engine();
    let (_, before) =
        printed(&engine.tree().unwrap(), "mkdir -p d/e tests; touch d/e/f; echo a > a; echo t > tests/test_a.py");
    let script = "echo b >> a; rm tests/test_a.py; mkdir new; ln -s /etc/shadow out; rm -r d; mkdir d; chmod 4755 a; mkfifo pipe";
    let (report, after) = run_in(&before, &Command::shell(script), &limits());
    let told: Vec<(String, ChangeKind)> =
        report.changes.into_iter().map(|change| (change.path.display().to_string(), change.kind)).collect();
    let expected = [
        ("work", ChangeKind::Directory { replaces: false }),
        ("work/a", ChangeKind::Written { size_bytes: 4, mode: 0o4755 }),
        ("work/d", ChangeKind::Directory { replaces: true }),
        ("work/new", ChangeKind::Directory { replaces: true }),
        ("work/out", ChangeKind::Link { target: "/etc/shadow".into() }),
        ("work/pipe", ChangeKind::Special),
        ("work/tests", ChangeKind::Directory { replaces: false }),
        ("work/tests/test_a.py", ChangeKind::Removed),
    ];
    let mut expected: Vec<(String, ChangeKind)> =
        expected.into_iter().map(|(path, kind)| (path.to_owned(), kind)).collect();
    // Whether a directory that was not there before hides anything is nothing to a reader.
    let is_new = |path: &str| path == "work/new";
    for (path, kind) in told.iter().filter(|(path, _)| is_new(path)) {
        expected.iter_mut().filter(|(other, _)| other == path).for_each(|(_, other)| *other = kind.clone());
    }
    assert_eq!((told, report.changes_total), (expected, 8));
    assert_eq!(engine.changes(&after, &before).unwrap().unwrap().len(), 8);
    assert_eq!(engine.changes(&before, &after).unwrap(), None);
}

#[test]
fn whiteouts_cannot_be_forged() {
    let (_, tree) = printed(&engine().tree().unwrap(), "mkdir d; echo kept > d/file");
    let script = "mknod d/file2 c 0 0 2>/dev/null && echo node; python3 -c \"import os; os.setxattr('d', 'trusted.overlay.opaque', b'y')\" 2>/dev/null && echo opaque; cat d/file";
    assert_eq!(printed(&tree, script).0, "kept\n");
}

#[test]
fn an_edit_that_fails_leaves_nothing() {
    let engine = engine();
    let tree = engine.tree().unwrap();
    let failed = engine.edit(&tree, &limits(), |edit| {
        edit.write("work/a", b"a", 0o644)?;
        edit.write("work/a/b", b"b", 0o644)
    });
    assert!(failed.is_err());
    assert!(matches!(engine.view(&tree).unwrap().read("work/a", 10), Err(FileError::NotFound { .. })));
    let ((), tree) =
        engine.edit(&tree, &limits(), |edit| edit.write("work/run.sh", b"#!/bin/sh\nid -u > out\n", 0o6755)).unwrap();
    let (told, tree) = printed(&tree, "./run.sh && cat out && stat -c '%a %U' run.sh && echo more >> run.sh");
    assert_eq!(told, "1000\n755 user\n");
    assert_eq!(engine.view(&tree).unwrap().read("work/out", 100).unwrap(), b"1000\n");
}
