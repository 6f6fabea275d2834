//! A server under test on a free port, a counter that fails on demand, and raw clients.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod branches;
mod catalog;
mod compute;
mod deadlines;
mod faulty;
mod harness;
mod health;
mod journal;
mod leases;
mod limits;
mod observe;
mod opening;
mod panics;
mod reconnect;
mod reflection;
mod remote;
mod scores;
mod seq;

#[expect(unreachable_pub, unused_qualifications, reason = "generated code")]
mod wire {
    tonic::include_proto!("maquette.v1");
}
