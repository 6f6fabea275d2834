//! The command's process, between its clone and exec: gives up every right, one after the other.

use crate::probe;
use crate::spawner::IDS;
use crate::sys;
use crate::syscalls::{self, OPEN_FILES, STATUS_FD};
use crate::wire::{self, Attached, Failure, Privilege, Start, Status, Step};
use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, path_beneath_rules,
};
use rustix::fd::{AsFd, OwnedFd};
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, Gid, Uid};
use std::ffi::CString;
use std::io;

/// As shells say it of a command that cannot be executed.
const NOT_EXECUTED: i32 = 127;
const USER: u32 = 1000;
const LOCKED_BYTES: u64 = 64 << 10;
const CAPABILITIES: u32 = 64;
/// The rest is for reading and executing.
const WRITABLE: [&str; 10] = [
    "/work",
    "/home/user",
    "/tmp",
    "/dev/shm",
    "/dev/pts",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Descriptors as [`Attached`] says.
pub(super) fn run(start: &Start, files: &[OwnedFd], privilege: Privilege) -> ! {
    let order = [Attached::STDIN, Attached::STDOUT, Attached::STDERR, Attached::STATUS];
    let kept = sys::keep_only(&order.map(|index| files[index].as_fd()));
    let failure = match kept.and_then(|()| sys::move_to(order.len() as i32 - 1, STATUS_FD)).step("descriptors") {
        Ok(()) => become_it(start, privilege),
        Err(failure) => sys::exit_now(failure.errno().clamp(1, NOT_EXECUTED)),
    };
    let errno = failure.errno();
    // Where the engine has gone, nobody needs to know.
    let _ = wire::send(sys::borrowed(STATUS_FD), &Status::NotStarted { what: failure.what, errno }, &[]);
    sys::exit_now(NOT_EXECUTED)
}

/// Comes back only where something fails.
fn become_it(start: &Start, privilege: Privilege) -> Failure {
    if let Err(failure) = give_up_rights(start, privilege) {
        return failure;
    }
    if let Some(probe) = start.probe {
        probe::run(probe);
        sys::exit_now(0);
    }
    execute(start)
}

fn give_up_rights(start: &Start, privilege: Privilege) -> Result<(), Failure> {
    sys::signals_as_usual();
    rustix::process::setsid().step("setsid")?;
    // While there is still a capability for it.
    for bit in 0..CAPABILITIES {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // There is none of this number, nor of higher ones.
            Err(rustix::io::Errno::INVAL) => break,
            Err(error) => return Err(error).step("PR_CAPBSET_DROP"),
        }
    }
    if privilege == Privilege::Root {
        const { assert!(USER < IDS) };
        let (uid, gid) = (Uid::from_raw(USER), Gid::from_raw(USER));
        rustix::thread::set_thread_groups(&[]).step("setgroups")?;
        rustix::thread::set_thread_res_gid(gid, gid, gid).step("setresgid")?;
        rustix::thread::set_thread_res_uid(uid, uid, uid).step("setresuid")?;
    }
    limit(Resource::Core, 0)?;
    limit(Resource::Nofile, OPEN_FILES)?;
    limit(Resource::Memlock, LOCKED_BYTES)?;
    limit(Resource::Fsize, start.file_bytes)?;
    let cpu = Rlimit { current: Some(start.cpu_secs), maximum: Some(start.cpu_secs + 1) };
    rustix::process::setrlimit(Resource::Cpu, cpu).step("RLIMIT_CPU")?;
    if let Some((processes, address_bytes)) = start.without_cgroup {
        limit(Resource::Nproc, processes)?;
        limit(Resource::As, address_bytes)?;
    }
    let none = CapabilitySet::empty();
    rustix::thread::clear_ambient_capability_set().step("PR_CAP_AMBIENT")?;
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets).step("capset")?;
    rustix::thread::set_no_new_privs(true).step("PR_SET_NO_NEW_PRIVS")?;
    restrict_files()?;
    rustix::process::chdir(start.cwd.as_str()).step(format!("cd {}", start.cwd))?;
    let listener = sys::listen_to_system_calls(&syscalls::filter()).step("seccomp")?;
    wire::send(sys::borrowed(STATUS_FD), &Status::Listening, &[listener.as_fd()]).step("the listener")
}

fn limit(resource: Resource, value: u64) -> Result<(), Failure> {
    let both = Rlimit { current: Some(value), maximum: Some(value) };
    rustix::process::setrlimit(resource, both).step(format!("{resource:?}"))
}

/// The mounts say the same; this holds where one of them is wrong.
fn restrict_files() -> Result<(), Failure> {
    let abi = ABI::V3;
    let rules = || {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let created = ruleset.handle_access(AccessFs::from_all(abi))?.create()?;
        let created = created.add_rules(path_beneath_rules(["/"], AccessFs::from_read(abi)))?;
        created.add_rules(path_beneath_rules(WRITABLE, AccessFs::from_all(abi)))?.restrict_self()
    };
    rules().map(|_| ()).map_err(io::Error::other).step("Landlock")
}

/// Finds the program as a shell does. Comes back only where it fails.
fn execute(start: &Start) -> Failure {
    let texts = |texts: &[String]| -> io::Result<Vec<CString>> {
        texts.iter().map(|text| CString::new(text.as_str()).map_err(io::Error::other)).collect()
    };
    let (arguments, environment) = match (texts(&start.argv), texts(&start.env)) {
        (Ok(arguments), Ok(environment)) => (arguments, environment),
        (Err(source), _) | (_, Err(source)) => return Failure { what: "a NUL in the command".into(), source },
    };
    let program = start.argv.first().map_or("", String::as_str);
    let path = start.env.iter().find_map(|entry| entry.strip_prefix("PATH=")).unwrap_or_default();
    let candidates: Vec<String> = if program.contains('/') {
        vec![program.to_owned()]
    } else {
        path.split(':').filter(|folder| !folder.is_empty()).map(|folder| format!("{folder}/{program}")).collect()
    };
    let mut error = io::Error::from_raw_os_error(libc::ENOENT);
    for candidate in candidates {
        let Ok(candidate) = CString::new(candidate) else { continue };
        let refused = sys::execute(&candidate, &arguments, &environment);
        if refused.kind() != io::ErrorKind::NotFound {
            error = refused;
        }
    }
    Failure { what: format!("cannot execute {program:?}"), source: error }
}
