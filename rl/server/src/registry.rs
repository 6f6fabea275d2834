//! The domains of this binary. The one place that knows a domain in this process from one behind an address.

use crate::adapter::AdapterArg;
use crate::nearest::nearest;
use crate::studio::GpuStudio;
use anyhow::{Context, Result, bail};
use rl_protocol::{Domain, RemoteDomain, connect};
use scene_api::SceneDomain;
use std::sync::Arc;

/// Every domain, in this process; without a studio they offer nothing that is drawn.
pub(crate) fn local(studio: Option<Arc<GpuStudio>>) -> Result<Vec<Arc<dyn Domain>>> {
    let scene = match studio {
        Some(studio) => SceneDomain::with_studio(studio),
        None => SceneDomain::new(),
    };
    Ok(vec![Arc::new(scene.context("the scene domain's built-in tasks")?)])
}

/// The domain of a task (`scene/table` → `scene`), served at `addr` or in this process; then standard error is told
/// what draws, if anything does.
pub(crate) async fn domain_of(task_id: &str, addr: Option<&str>, adapter: &AdapterArg) -> Result<Arc<dyn Domain>> {
    let name = domain_name(task_id);
    if let Some(addr) = addr {
        return Ok(Arc::new(remote(addr, name).await?));
    }
    let studio = match adapter.studio().await {
        Ok((studio, adapter)) => {
            eprintln!("pictures by {adapter}");
            Some(studio)
        }
        Err(error) => {
            eprintln!("no pictures: {error}");
            None
        }
    };
    let mut known = Vec::new();
    for domain in local(studio)? {
        let offered = domain.describe().await?.domain;
        if offered == name {
            return Ok(domain);
        }
        known.push(offered);
    }
    let near = nearest(name, known.iter().map(String::as_str)).join(", ");
    bail!("no domain named {name:?}; the nearest are {near} (task ids look like scene/table; see `maquette tasks`)")
}

/// `scene/table` → `scene`.
pub(crate) fn domain_name(task_id: &str) -> &str {
    task_id.split('/').next().unwrap_or_default()
}

/// The domain of this name on the server at `addr`.
pub(crate) async fn remote(addr: &str, name: &str) -> Result<RemoteDomain> {
    let is_uri = addr.contains("://") || addr.starts_with("unix:");
    let uri = if is_uri { addr.to_owned() } else { format!("http://{addr}") };
    let channel = connect(&uri).await.with_context(|| format!("cannot reach a server at {uri}"))?;
    Ok(RemoteDomain::new(channel, name))
}
