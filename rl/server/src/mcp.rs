//! `maquette mcp`: a domain's tools over the Model Context Protocol. One connection is one episode.

mod answers;
mod http;
mod lines;
mod offer;
mod own_tools;
mod session;
mod stdio;
mod tickets;
mod turns;

use crate::adapter::AdapterArg;
use crate::tool_groups::group_name;
use crate::{logging, registry};
use anyhow::Result;
use offer::Offer;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Task of the episode that a client plays; who follows none builds what he likes and exports it
    #[arg(long, value_name = "ID", default_value = "scene/table")]
    task: String,
    /// Groups of tools beside the core, with commas between them, or all; a model pays context for each tool
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = group_name)]
    groups: Vec<String>,
    /// Play on the gRPC server at this address, e.g. http://127.0.0.1:50061, instead of in this process
    #[arg(long, value_name = "URI")]
    server: Option<String>,
    /// Serve streamable HTTP at this IP address and port under /mcp, without a password, instead of standard input and
    /// output; port 0 takes a free one and prints it
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8808", value_parser = http::address)]
    http: Option<SocketAddr>,
    /// A name or address by which clients reach --http, beside localhost and its own address, e.g. studio.example;
    /// other names are refused. May be given more than once; 0.0.0.0 and [::] need it
    #[arg(long, value_name = "NAME", requires = "http")]
    allow_host: Vec<String>,
    /// What to log on standard error, e.g. info, debug, rmcp=debug
    #[arg(long, env = "MAQUETTE_LOG", default_value = "warn")]
    log: String,
    #[command(flatten)]
    adapter: AdapterArg,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    logging::to_stderr(&args.log);
    let listener = match args.http {
        Some(address) => Some(http::listen(address, &args.allow_host).await?),
        None => None,
    };
    let domain = registry::domain_of(&args.task, args.server.as_deref(), &args.adapter).await?;
    let offer = Arc::new(Offer::new(domain, args.task, &args.groups).await?);
    match listener {
        Some(listener) => http::serve(offer, listener, args.allow_host).await?,
        None => stdio::serve(offer).await?,
    }
    Ok(ExitCode::SUCCESS)
}
