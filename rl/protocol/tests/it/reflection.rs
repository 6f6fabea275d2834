//! What `grpcurl list` and `describe` need, in both versions of the service.

use crate::harness::Server;
use rl_protocol::ServeConfig;

const SERVICES: [&str; 4] =
    ["grpc.health.v1.Health", "maquette.v1.Catalog", "maquette.v1.Episodes", "maquette.v1.Rewards"];
/// A service of ours, and the detail of an error.
const SYMBOLS: [&str; 2] = ["maquette.v1.Episodes", "google.rpc.ErrorInfo"];

/// The names of the services listed; panics where a symbol has no file.
macro_rules! listed {
    ($server:expr, $version:ident) => {{
        use tonic_reflection::pb::$version::{
            ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
            server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
        };
        let mut client = ServerReflectionClient::new($server.channel.clone());
        let mut asked = vec![MessageRequest::ListServices(String::new())];
        asked.extend(SYMBOLS.map(|symbol| MessageRequest::FileContainingSymbol(symbol.into())));
        let asked = asked
            .into_iter()
            .map(|request| ServerReflectionRequest { host: String::new(), message_request: Some(request) });
        let mut replies = client.server_reflection_info(tokio_stream::iter(asked)).await.unwrap().into_inner();
        let listed = replies.message().await.unwrap().unwrap().message_response.unwrap();
        let MessageResponse::ListServicesResponse(listed) = listed else { panic!("no list: {listed:?}") };
        for symbol in SYMBOLS {
            let file = replies.message().await.unwrap().unwrap().message_response.unwrap();
            assert!(matches!(file, MessageResponse::FileDescriptorResponse(_)), "{symbol}: {file:?}");
        }
        listed.service.into_iter().map(|service| service.name).collect::<Vec<String>>()
    }};
}

#[tokio::test]
async fn reflection_v1_lists_the_services_and_knows_the_errors() {
    let server = Server::start(ServeConfig::default()).await;
    all_are_there(&listed!(server, v1));
}

#[tokio::test]
async fn reflection_v1alpha_lists_the_services_and_knows_the_errors() {
    let server = Server::start(ServeConfig::default()).await;
    all_are_there(&listed!(server, v1alpha));
}

fn all_are_there(names: &[String]) {
    for service in SERVICES {
        assert!(names.iter().any(|name| name == service), "{service} is not among {names:?}");
    }
}
