//! `maquette serve`.

use crate::adapter::AdapterArg;
use crate::interrupted::{interrupted, stdin_closed};
use crate::{logging, registry};
use anyhow::{Context, Result};
use renderer::AdapterChoice;
use rl_protocol::{ServeConfig, Service};
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::TcpListener;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address to listen on; port 0 takes a free one and prints it
    #[arg(long, env = "MAQUETTE_LISTEN", default_value = "127.0.0.1:50061")]
    listen: SocketAddr,
    /// Sessions held at once; more are refused with RESOURCE_EXHAUSTED
    #[arg(long, env = "MAQUETTE_MAX_SESSIONS", default_value_t = ServeConfig::default().max_sessions, value_parser = up_to(1_000_000))]
    max_sessions: u32,
    /// Seconds without a call after which a session is closed (a client may ask for up to an hour)
    #[arg(long, env = "MAQUETTE_LEASE_SECS", default_value_t = secs(ServeConfig::default().default_lease), value_parser = up_to(HOUR_SECS))]
    lease_secs: u32,
    /// Seconds a call may take when the client sets no deadline
    #[arg(long, env = "MAQUETTE_DEADLINE_SECS", default_value_t = secs(ServeConfig::default().default_deadline), value_parser = up_to(HOUR_SECS))]
    deadline_secs: u32,
    /// Keep sessions in this folder, and go on with those it holds: they outlive the process, not a loss of power
    #[arg(long, env = "MAQUETTE_JOURNAL", value_name = "DIR")]
    journal: Option<PathBuf>,
    /// End, as at SIGTERM, when standard input does: with a pipe, when who started the server has ended, even by kill -9
    #[arg(long)]
    until_stdin_closes: bool,
    /// What to log, e.g. info, debug, rl_protocol=debug
    #[arg(long, env = "MAQUETTE_LOG", default_value = "info")]
    log: String,
    #[command(flatten)]
    adapter: AdapterArg,
}

const HOUR_SECS: i64 = 3600;

fn up_to(most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=most)
}

fn secs(duration: Duration) -> u32 {
    duration.as_secs().try_into().unwrap_or(u32::MAX)
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    logging::to_stderr(&args.log);
    let interrupted = interrupted()?;
    let stdin_closed = args.until_stdin_closes.then(stdin_closed).transpose()?;
    let ends = async {
        match stdin_closed {
            Some(stdin_closed) => tokio::select! {
                () = interrupted => {}
                () = stdin_closed => {}
            },
            None => interrupted.await,
        }
    };
    let listener = TcpListener::bind(args.listen).await.with_context(|| format!("cannot listen on {}", args.listen))?;
    let config = ServeConfig {
        max_sessions: args.max_sessions,
        default_lease: Duration::from_secs(args.lease_secs.into()),
        default_deadline: Duration::from_secs(args.deadline_secs.into()),
        journal: args.journal,
        ..ServeConfig::default()
    };
    let studio = match args.adapter.studio().await {
        Ok((studio, adapter)) => {
            tracing::info!(%adapter, choice = %args.adapter.adapter, "pictures can be drawn");
            Some(studio)
        }
        // Who names one wants that one.
        Err(error) if args.adapter.adapter != AdapterChoice::Auto => return Err(error.into()),
        Err(error) => {
            tracing::warn!("no pictures, and no profile that needs them: {error}");
            None
        }
    };
    let domains = registry::local(studio)?;
    // Clients are told of the server when it answers them: with a journal that can be seconds later.
    let service = Service::recovered(domains, config).await?;
    // Who wanted to read it may have gone.
    writeln!(std::io::stdout(), "listening on {}", listener.local_addr()?)?;
    service.serve(listener, ends).await?;
    Ok(ExitCode::SUCCESS)
}
