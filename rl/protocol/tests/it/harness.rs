//! Starting, connecting, and requests in one line.

use crate::{
    faulty::Faulty,
    wire::{self, episodes_client::EpisodesClient},
};
use rl_conformance::{CounterDomain, Loopback};
use rl_protocol::{ServeConfig, connect};
use std::sync::{Arc, atomic::Ordering};
use tonic::{Status, transport::Channel};
use tonic_types::StatusExt as _;

pub(crate) struct Server {
    pub(crate) channel: Channel,
    pub(crate) client: EpisodesClient<Channel>,
    faulty: Faulty,
    loopback: Loopback,
}

impl Server {
    pub(crate) async fn start(config: ServeConfig) -> Self {
        let faulty = Faulty::default();
        let loopback = Loopback::start(vec![Arc::new(faulty.clone())], config).await.unwrap();
        let channel = connect(loopback.uri()).await.unwrap();
        Self { client: EpisodesClient::new(channel.clone()), channel, faulty, loopback }
    }

    pub(crate) async fn open(&mut self) -> Result<String, Status> {
        let reply = self.client.open(open(1)).await?.into_inner();
        Ok(reply.sessions[0].session_id.clone())
    }

    /// Ends when the calls in flight have ended; the sessions stay in the journal, where there is one.
    pub(crate) async fn stop(self) {
        self.loopback.stop().await.unwrap();
    }

    /// `host:port`
    pub(crate) fn address(&self) -> &str {
        self.loopback.uri().trim_start_matches("http://")
    }

    /// Slow call logs that were scored to the end.
    pub(crate) fn scored(&self) -> u32 {
        self.faulty.scored.load(Ordering::SeqCst)
    }

    /// Steps that reached an episode.
    pub(crate) fn played(&self) -> u32 {
        self.faulty.played.load(Ordering::SeqCst)
    }
}

pub(crate) fn open(count: u32) -> wire::OpenRequest {
    wire::OpenRequest {
        domain: "counter".into(),
        task_id: CounterDomain::sample().task_id,
        count,
        ..wire::OpenRequest::default()
    }
}

pub(crate) fn step(session_id: &str, seq: u64, calls: &[(&str, &str)]) -> wire::StepRequest {
    let calls = calls
        .iter()
        .map(|(name, arguments_json)| wire::ToolCall { name: (*name).into(), arguments_json: (*arguments_json).into() })
        .collect();
    wire::StepRequest { session_id: session_id.into(), seq, calls }
}

/// The request field that the error names.
pub(crate) fn field(status: &Status) -> String {
    status.get_details_bad_request().unwrap().field_violations.remove(0).field
}

pub(crate) fn reason(status: &Status) -> String {
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.domain, "maquette");
    info.reason
}
