//! What `grpcurl list` and `describe` need.

use crate::harness::Server;
use rl_protocol::ServeConfig;

const SERVICES: [&str; 4] =
    ["grpc.health.v1.Health", "maquette.v1.Catalog", "maquette.v1.Episodes", "maquette.v1.Rewards"];

macro_rules! reflection_test {
    ($name:ident, $version:ident) => {
        #[tokio::test]
        async fn $name() {
            use tonic_reflection::pb::$version::{
                ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
                server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
            };
            let server = Server::start(ServeConfig::default()).await;
            let mut client = ServerReflectionClient::new(server.channel.clone());
            let asked = [
                MessageRequest::ListServices(String::new()),
                MessageRequest::FileContainingSymbol("maquette.v1.Episodes".into()),
            ]
            .map(|request| ServerReflectionRequest { host: String::new(), message_request: Some(request) });
            let mut replies = client.server_reflection_info(tokio_stream::iter(asked)).await.unwrap().into_inner();
            let listed = replies.message().await.unwrap().unwrap().message_response.unwrap();
            let MessageResponse::ListServicesResponse(listed) = listed else { panic!("no list: {listed:?}") };
            let names: Vec<&str> = listed.service.iter().map(|service| service.name.as_str()).collect();
            for service in SERVICES {
                assert!(names.contains(&service), "{service} is not among {names:?}");
            }
            let file = replies.message().await.unwrap().unwrap().message_response.unwrap();
            assert!(matches!(file, MessageResponse::FileDescriptorResponse(_)), "{file:?}");
        }
    };
}

reflection_test!(the_services_are_listed_by_v1, v1);
reflection_test!(the_services_are_listed_by_v1alpha, v1alpha);
