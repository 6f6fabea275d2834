//! What the server says of itself.

use crate::{
    harness::{Server, field},
    wire::{self, catalog_client::CatalogClient},
};
use rl_conformance::CounterDomain;
use rl_protocol::ServeConfig;
use tonic::Code;

pub(crate) async fn info(server: &Server) -> wire::GetServerInfoResponse {
    let mut client = CatalogClient::new(server.channel.clone());
    client.get_server_info(wire::GetServerInfoRequest {}).await.unwrap().into_inner()
}

#[tokio::test]
async fn every_start_is_another_instance() {
    let (one, other) = (Server::start(ServeConfig::default()).await, Server::start(ServeConfig::default()).await);
    let id = info(&one).await.instance_id;
    assert_eq!(id.len(), 32);
    assert_eq!(id, info(&one).await.instance_id);
    assert_ne!(id, info(&other).await.instance_id);
}

#[tokio::test]
async fn a_page_token_is_one_that_was_given() {
    let server = Server::start(ServeConfig::default()).await;
    let mut client = CatalogClient::new(server.channel.clone());
    let asked = |page_token: String| wire::ListTasksRequest {
        domain: "counter".into(),
        page_token,
        ..wire::ListTasksRequest::default()
    };
    let only = CounterDomain::sample().task_id;
    let first = client.list_tasks(asked(String::new())).await.unwrap().into_inner();
    assert_eq!((first.tasks.len(), first.next_page_token.as_str()), (1, ""));
    assert!(client.list_tasks(asked(only)).await.unwrap().into_inner().tasks.is_empty());
    for garbage in ["!", "counter/", "zzz"] {
        let status = client.list_tasks(asked(garbage.to_owned())).await.unwrap_err();
        assert_eq!((status.code(), field(&status).as_str()), (Code::InvalidArgument, "page_token"));
    }
}
