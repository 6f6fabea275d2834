use crate::harness::{engine, limits, printed};
use sandbox::{EntryKind, FileError, export, import};
use std::path::Path;

#[test]
fn links_are_followed_inside_and_never_out() {
    let engine = engine();
    let script = "echo in > real; ln -s real link; ln -s /work/real absolute; ln -s /etc/passwd host; ln -s ../../../../etc/passwd up; ln -s /proc/self/environ magic; ln -s loop loop; ln -s /work ../tmp/dir";
    let (_, tree) = printed(&engine.tree().unwrap(), script);
    let view = engine.view(&tree).unwrap();
    for path in ["work/link", "work/absolute", "tmp/dir/real", "work/../work/real"] {
        assert_eq!(view.read(path, 10).unwrap(), b"in\n", "{path}");
    }
    for path in ["work/host", "work/up", "work/magic", "work/loop", "../etc/passwd", "/etc/passwd", "", "work/\0"] {
        let error = view.read(path, 10).unwrap_err();
        assert!(matches!(error, FileError::NotFound { .. } | FileError::BadPath { .. }), "{path}: {error:?}");
    }
    assert_eq!(view.stat("work/host").unwrap().kind, EntryKind::Link { target: "/etc/passwd".into() });
}

#[test]
fn only_files_are_read_and_only_so_much() {
    let engine = engine();
    let script = "mkfifo pipe; python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('socket')\"; mkdir d; head -c 100 /dev/zero > zeros";
    let (_, tree) = printed(&engine.tree().unwrap(), script);
    let view = engine.view(&tree).unwrap();
    for path in ["work/pipe", "work/socket", "work/d"] {
        let error = view.read(path, 10).unwrap_err();
        assert!(matches!(error, FileError::NotAFile { .. }), "{path}: {error:?}");
    }
    assert!(matches!(view.read("work/zeros", 99), Err(FileError::TooLarge { size_bytes: 100, allowed_bytes: 99, .. })));
    assert!(matches!(view.walk("work", 3), Err(FileError::TooMany { allowed: 3, .. })));
    assert!(matches!(view.list("work/zeros"), Err(FileError::NotADirectory { .. })));
    let error = engine.edit(&tree, &limits(), |edit| edit.write("work/pipe", b"", 0o644)).unwrap_err();
    assert!(error.to_string().contains("pipe"), "{error}");
}

#[test]
fn names_may_be_any_bytes_and_directories_deep() {
    let engine = engine();
    let script = "import os\nopen(b'new\\nline', 'w'); open(b'\\xff\\xfe', 'w')\nfor _ in range(2000): os.mkdir('d'); os.chdir('d')";
    let command = sandbox::Command::new(["/usr/bin/python3", "-c", script]);
    let (report, tree) = engine.run(&engine.tree().unwrap(), &command, &limits()).unwrap();
    assert!(report.exit.is_success(), "{}", report.stderr.text());
    assert!(report.changes_total > 2000);
    let view = engine.view(&tree).unwrap();
    let names: Vec<String> = view.list("work").unwrap().iter().map(|entry| format!("{:?}", entry.path)).collect();
    assert_eq!(names, [r#""work/d""#, r#""work/new\nline""#, r#""work/\xFF\xFE""#]);
    assert!(matches!(view.walk("work", 10_000), Err(FileError::TooDeep { .. })));
    assert_eq!(printed(&tree, "rm -rf d; ls | wc -l").0, "3\n");
}

#[test]
fn an_archive_gives_the_files_back_and_the_same_bytes() {
    let engine = engine();
    let script = "mkdir -p a/b; echo 1 > a/b/c; chmod 755 a/b/c; ln -s a/b/c link; echo o > /home/user/o; head -c 3000 /dev/urandom > r";
    let (_, tree) = printed(&engine.tree().unwrap(), script);
    let archive = |tree| {
        let mut bytes = Vec::new();
        export(&engine.view(tree).unwrap(), &mut bytes, 1000).unwrap();
        bytes
    };
    let bytes = archive(&tree);
    let load = |bytes: &[u8], at_most| {
        engine.edit(&engine.tree().unwrap(), &limits(), |edit| import(edit, bytes, at_most, 100))
    };
    let ((), back) = load(&bytes, 100_000).unwrap();
    assert!(archive(&back) == bytes);
    assert_eq!(printed(&back, "cat link; stat -c %a a/b/c; cat /home/user/o").0, "1\n755\no\n");
    assert!(load(&bytes, 2000).is_err());
    assert!(load(&bytes[..bytes.len() / 2], 100_000).is_err());
}

#[test]
fn hostile_archives_are_refused() {
    let engine = engine();
    let refused = |make: &dyn Fn(&mut tar::Builder<Vec<u8>>)| {
        let mut builder = tar::Builder::new(Vec::new());
        make(&mut builder);
        let bytes = builder.into_inner().unwrap();
        engine
            .edit(&engine.tree().unwrap(), &limits(), |edit| import(edit, &bytes[..], 1 << 20, 10))
            .unwrap_err()
            .to_string()
    };
    let file = |builder: &mut tar::Builder<Vec<u8>>, path: &[u8], kind: tar::EntryType| {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[..path.len()].copy_from_slice(path);
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(0);
        header.set_cksum();
        builder.append(&header, &[][..]).unwrap();
    };
    for path in [&b"work/../../x"[..], b"/etc/x", b"etc/x", b"work/a/../../../x"] {
        let told = refused(&|builder| file(builder, path, tar::EntryType::Regular));
        assert!(told.contains("is no path"), "{told}");
    }
    for kind in [tar::EntryType::Char, tar::EntryType::Fifo, tar::EntryType::Link] {
        let told = refused(&|builder| file(builder, b"work/x", kind));
        assert!(told.contains("no tree has"), "{told}");
    }
    let told = refused(&|builder| {
        (0..20).for_each(|index| file(builder, format!("work/{index}").as_bytes(), tar::EntryType::Regular))
    });
    assert!(told.contains("more than 10"), "{told}");
    // A link out, and a file through it.
    let through = |builder: &mut tar::Builder<Vec<u8>>| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        builder.append_link(&mut header, "work/out", "/etc").unwrap();
        file(builder, b"work/out/x", tar::EntryType::Regular);
    };
    assert!(refused(&through).contains("out"));
    assert!(!Path::new("/etc/x").exists());
}
