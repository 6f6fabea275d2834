//! Answers to the system calls that the filter asks about, and what they tell.

use crate::report::Event;
use crate::sys::{Answer, Notification, read_memory};
use crate::syscalls;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Messages of one call that are looked at.
const MESSAGES_MAX: u64 = 16;
/// Different destinations, and names, that are told; what comes after is refused all the same.
const KINDS_MAX: usize = 64;
const SOCKADDR_BYTES: usize = 28;
const MSGHDR_BYTES: u64 = 56;
const MMSGHDR_BYTES: u64 = 64;

/// What was refused, by destination and by name.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    networks: BTreeMap<(String, u16), u64>,
    system_calls: BTreeMap<&'static str, u64>,
}

impl Notices {
    /// What to answer; what is refused is kept.
    pub(crate) fn answer(&mut self, asked: &Notification) -> Answer {
        let [_, pointer, length, ..] = asked.arguments;
        let destination = match asked.number {
            libc::SYS_connect => destination(asked.pid, pointer, length),
            libc::SYS_sendto => destination(asked.pid, asked.arguments[4], asked.arguments[5]),
            libc::SYS_sendmsg => destination_of_message(asked.pid, pointer),
            libc::SYS_sendmmsg => (0..length.min(MESSAGES_MAX))
                .find_map(|index| destination_of_message(asked.pid, pointer + index * MMSGHDR_BYTES)),
            number => {
                let name = syscalls::name(number);
                if self.system_calls.len() < KINDS_MAX || self.system_calls.contains_key(name) {
                    *self.system_calls.entry(name).or_default() += 1;
                }
                return Answer::Errno(libc::EPERM);
            }
        };
        match destination {
            Some((address, port)) if !address.is_loopback() && !address.is_unspecified() => {
                let key = (address.to_string(), port);
                if self.networks.len() < KINDS_MAX || self.networks.contains_key(&key) {
                    *self.networks.entry(key).or_default() += 1;
                }
                Answer::Errno(libc::ENETUNREACH)
            }
            // The memory may change before the kernel reads it. That can hide an attempt from the report and no more: the
            // sandbox's network has no way out.
            _ => Answer::Continue,
        }
    }

    pub(crate) fn events(self) -> impl Iterator<Item = Event> {
        let networks = self.networks.into_iter();
        let networks = networks.map(|((destination, port), count)| Event::Network { destination, port, count });
        let calls = self.system_calls.into_iter();
        networks.chain(calls.map(|(name, count)| Event::Syscall { name: name.to_owned(), count }))
    }
}

/// Of an internet address in a process's memory; `None` for another family, or what cannot be read.
fn destination(pid: u32, address: u64, length: u64) -> Option<(IpAddr, u16)> {
    let mut bytes = [0_u8; SOCKADDR_BYTES];
    let wanted = usize::try_from(length).unwrap_or(SOCKADDR_BYTES).min(SOCKADDR_BYTES);
    let read = read_memory(pid, address, &mut bytes[..wanted]).ok()?;
    parse(&bytes[..read])
}

/// Of `struct msghdr`: a pointer to the address, and its length.
fn destination_of_message(pid: u32, header: u64) -> Option<(IpAddr, u16)> {
    let mut bytes = [0_u8; MSGHDR_BYTES as usize];
    if read_memory(pid, header, &mut bytes).ok()? < 12 {
        return None;
    }
    let address = u64::from_ne_bytes(bytes[..8].try_into().ok()?);
    let length = u32::from_ne_bytes(bytes[8..12].try_into().ok()?);
    if address == 0 { None } else { destination(pid, address, u64::from(length)) }
}

/// `struct sockaddr_in` or `sockaddr_in6`.
fn parse(bytes: &[u8]) -> Option<(IpAddr, u16)> {
    let family = i32::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
    let port = u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?);
    let address = match family {
        libc::AF_INET => IpAddr::from(Ipv4Addr::from(<[u8; 4]>::try_from(bytes.get(4..8)?).ok()?)),
        libc::AF_INET6 => IpAddr::from(Ipv6Addr::from(<[u8; 16]>::try_from(bytes.get(8..24)?).ok()?)).to_canonical(),
        _ => return None,
    };
    Some((address, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_structs() {
        let v4 = [2, 0, 0x1f, 0x90, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(parse(&v4), Some(("192.0.2.1".parse().unwrap(), 8080)));
        let mut v6 = [0_u8; 28];
        (v6[0], v6[2], v6[3], v6[23]) = (10, 0, 53, 1);
        assert_eq!(parse(&v6), Some(("::1".parse().unwrap(), 53)));
        assert_eq!(parse(&[1, 0, b'/', b'x']), None);
        assert_eq!(parse(&v4[..6]), None);
    }
}
