//! The process that mounts and clones for an engine. It has one thread, so that a clone is whole; it waits for nobody but
//! the engine, and ends with it.

mod command;
mod init;
pub(crate) mod overlay;
mod root;

use crate::sys::{self, Cloned};
use crate::wire::{self, Attached, Failure, Privilege, Reply, Request, Start, Step};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::collections::BTreeMap;
use std::fs;
use std::io;

/// Ids that are mapped into a sandbox. 1000 of them is the user; the rest is for what `chown` may be asked.
pub(crate) const IDS: u32 = 2000;

const NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64
    | 0x80;

/// Serves the engine that started this process, over its standard input, until the engine has gone. That the socket closes
/// is the sign of it: a signal at the parent's death would come at the death of the thread that started this process.
///
/// # Errors
/// The socket's; what a request fails at is told over it.
pub fn spawner_main() -> io::Result<()> {
    let socket = rustix::stdio::stdin();
    let children = sys::children_signal()?;
    let mut spawner = Spawner { privilege: Privilege::Root, running: BTreeMap::new(), networks: Vec::new() };
    loop {
        let mut waiting = [PollFd::new(&socket, PollFlags::IN), PollFd::new(&children, PollFlags::IN)];
        match poll(&mut waiting, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        spawner.reap(&children);
        if waiting[0].revents().is_empty() {
            continue;
        }
        let Some((request, fds)) = wire::receive::<Request>(socket)? else { return Ok(()) };
        let (reply, fd) = match spawner.serve(request, &fds) {
            Ok(answer) => answer,
            Err(failure) => (Reply::Failed { errno: failure.errno(), what: failure.what }, None),
        };
        let fd: Vec<BorrowedFd<'_>> = fd.iter().map(AsFd::as_fd).collect();
        wire::send(socket, &reply, &fd)?;
    }
}

struct Spawner {
    privilege: Privilege,
    /// The network namespace of each sandbox, by the process id of its init.
    running: BTreeMap<i32, OwnedFd>,
    /// Those that nobody is in.
    networks: Vec<OwnedFd>,
}

impl Spawner {
    fn serve(&mut self, request: Request, fds: &[OwnedFd]) -> Result<(Reply, Option<OwnedFd>), Failure> {
        match request {
            Request::Prepare { privilege, mounts } => {
                root::enter(privilege, &mounts)?;
                self.privilege = privilege;
                Ok((Reply::Done, None))
            }
            Request::Layer { size_bytes, inodes, owner } => {
                let owner = (self.privilege == Privilege::Root).then_some(owner);
                Ok((Reply::Done, Some(overlay::layer(size_bytes, inodes, owner)?)))
            }
            Request::Overlay { writable } => {
                let layers: Vec<BorrowedFd<'_>> = fds.iter().map(AsFd::as_fd).collect();
                Ok((Reply::Done, Some(overlay::merged(&layers, writable, self.privilege != Privilege::Root)?)))
            }
            Request::Start(start) => {
                let (pid, pidfd) = self.start(&start, fds)?;
                Ok((Reply::Started { pid: pid.as_raw_nonzero().get().unsigned_abs() }, Some(pidfd)))
            }
        }
    }

    fn start(&mut self, start: &Start, fds: &[OwnedFd]) -> Result<(Pid, OwnedFd), Failure> {
        let missing = || Failure { what: "descriptors".into(), source: io::Error::from_raw_os_error(libc::EBADF) };
        let (files, cgroups) = fds.split_at_checked(Attached::CGROUP).ok_or_else(missing)?;
        let (directory, procs) = match (start.has_cgroup_directory, cgroups) {
            (true, [directory, procs @ ..]) => (Some(directory.as_fd()), procs),
            (true, []) => return Err(missing()),
            (false, procs) => (None, procs),
        };
        let network = match self.networks.pop() {
            Some(network) => network,
            None => root::network()?,
        };
        move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network)).step("setns(network)")?;
        let (wait, go) = pipe_with(PipeFlags::CLOEXEC).step("a pipe")?;
        match sys::clone(NAMESPACES, directory).step("clone3")? {
            Cloned::Child => {
                drop(go);
                init::run(start, files, &wait, self.privilege)
            }
            Cloned::Parent { pid, pidfd } => {
                self.running.insert(pid.as_raw_nonzero().get(), network);
                drop(wait);
                // Without a word it ends by itself.
                self.let_go(start, pid, procs, &go)?;
                Ok((pid, pidfd))
            }
        }
    }

    /// Gives a sandbox its ids and control groups, and then the word to go on.
    fn let_go(&self, start: &Start, pid: Pid, procs: &[OwnedFd], go: &OwnedFd) -> Result<(), Failure> {
        let pid = pid.as_raw_nonzero();
        for procs in procs {
            rustix::io::write(procs, pid.to_string().as_bytes()).step("cgroup.procs")?;
        }
        let map = match self.privilege {
            Privilege::Root => format!("0 {} {IDS}", start.first_id),
            Privilege::User { .. } => "1000 0 1".to_owned(),
        };
        fs::write(format!("/proc/{pid}/uid_map"), &map).step("uid_map")?;
        fs::write(format!("/proc/{pid}/gid_map"), &map).step("gid_map")?;
        rustix::io::write(go, b".").step("the word to go")?;
        Ok(())
    }

    /// Waits for inits that have ended: nobody is in their networks then.
    fn reap(&mut self, children: &OwnedFd) {
        let mut signals = [0_u8; 1024];
        // How many there are does not matter.
        let _ = rustix::io::read(children, &mut signals);
        while let Ok(Some((pid, _))) = rustix::process::wait(WaitOptions::NOHANG) {
            self.networks.extend(self.running.remove(&pid.as_raw_nonzero().get()));
        }
    }
}
