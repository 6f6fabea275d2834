use crate::harness::{engine, has_system_call, limits, printed, python, run, run_in};
use sandbox::{Command, Event};

fn destinations(events: &[Event]) -> Vec<(String, u16)> {
    let of = |event: &Event| match event {
        Event::Network { destination, port, .. } => Some((destination.clone(), *port)),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn nothing_leaves_and_every_try_is_told_with_its_destination() {
    let script = r#"
import socket
def tried(name, attempt):
    try: attempt(); print(name, 'open')
    except OSError as error: print(name, error.errno)
def tcp(family, address): socket.socket(family, socket.SOCK_STREAM).connect(address)
def udp(family, address): socket.socket(family, socket.SOCK_DGRAM).sendto(b'x', address)
def message(address): socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, address)
tried('tcp', lambda: tcp(socket.AF_INET, ('192.0.2.1', 80)))
tried('tcp again', lambda: tcp(socket.AF_INET, ('192.0.2.1', 80)))
tried('tcp6', lambda: tcp(socket.AF_INET6, ('2001:db8::1', 443)))
tried('udp', lambda: udp(socket.AF_INET, ('198.51.100.7', 53)))
tried('mapped', lambda: tcp(socket.AF_INET6, ('::ffff:203.0.113.9', 22)))
tried('message', lambda: message(('192.0.2.99', 99)))
"#;
    let report = run(&python(script));
    let expected: String =
        ["tcp", "tcp again", "tcp6", "udp", "mapped", "message"].map(|name| format!("{name} 101\n")).concat();
    assert_eq!(report.stdout.text(), expected, "{}", report.stderr.text());
    let told = [("192.0.2.1", 80), ("192.0.2.99", 99), ("198.51.100.7", 53), ("2001:db8::1", 443), ("203.0.113.9", 22)];
    assert_eq!(destinations(&report.events), told.map(|(destination, port)| (destination.to_owned(), port)));
    let twice = Event::Network { destination: "192.0.2.1".into(), port: 80, count: 2 };
    assert!(report.events.contains(&twice));
}

#[test]
fn names_are_not_found_and_tools_of_the_net_fail() {
    let report = run(&Command::shell(
        "getent hosts example.org; echo $?; getent hosts localhost | head -1; ip link 2>/dev/null | grep -c 'mtu' || true",
    ));
    assert!(report.stdout.text().starts_with("2\n"), "{}", report.stdout.text());
}

#[test]
fn sockets_of_other_families_are_refused_and_told() {
    // AF_VSOCK would reach outside of any network namespace: it is never connected.
    let script = r#"
import socket
for name, family, kind in [('vsock', 40, 1), ('packet', 17, 3), ('alg', 38, 5), ('bluetooth', 31, 3), ('can', 29, 3), ('xdp', 44, 3)]:
    try: socket.socket(family, kind); print(name, 'open')
    except OSError as error: print(name, error.errno)
for name, family in [('raw', socket.AF_INET), ('raw6', socket.AF_INET6)]:
    try: socket.socket(family, socket.SOCK_RAW, 1); print(name, 'open')
    except OSError as error: print(name, error.errno)
"#;
    let report = run(&python(script));
    let names = ["vsock", "packet", "alg", "bluetooth", "can", "xdp", "raw", "raw6"];
    assert_eq!(report.stdout.text(), names.map(|name| format!("{name} 1\n")).concat(), "{}", report.stderr.text());
    assert!(has_system_call(&report, "socket"));
}

#[test]
fn loopback_and_local_sockets_work_and_are_not_told() {
    let script = r#"
import os, socket, threading
for family, address in [(socket.AF_INET, ('127.0.0.1', 8000)), (socket.AF_INET6, ('::1', 8000)), (socket.AF_UNIX, '/tmp/s'), (socket.AF_UNIX, '\0abstract')]:
    server = socket.socket(family); server.bind(address); server.listen()
    def serve():
        connection, _ = server.accept(); connection.sendall(connection.recv(10).upper()); connection.close()
    thread = threading.Thread(target=serve); thread.start()
    client = socket.socket(family); client.connect(address); client.sendall(b'hello'); print(client.recv(10).decode())
    thread.join(); server.close(); client.close()
"#;
    let mut tree = engine().tree().unwrap();
    // Twice: the same port is free again in the network that a later sandbox takes over.
    for _ in 0..4 {
        let (report, next) = run_in(&tree, &python(script), &limits());
        assert_eq!(report.stdout.text(), "HELLO\n".repeat(4), "{}", report.stderr.text());
        assert_eq!(report.events, []);
        (_, tree) = printed(&next, "rm -f /tmp/s");
    }
}
