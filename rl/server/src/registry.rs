//! The domains of this binary. The one place that knows a domain in this process from one behind an address.

use crate::studio::GpuStudio;
use anyhow::{Context, Result};
use renderer::AdapterChoice;
use rl_protocol::{Domain, RemoteDomain, connect};
use scene_api::SceneDomain;
use std::sync::Arc;

/// Every domain, in this process. Nothing that draws is started before the first picture is asked for.
pub fn local(adapter: &AdapterChoice) -> Result<Vec<Arc<dyn Domain>>> {
    let studio = Arc::new(GpuStudio::new(adapter.clone()));
    let scene = SceneDomain::with_studio(studio).context("the scene domain's built-in tasks")?;
    Ok(vec![Arc::new(scene)])
}

/// The domain of a task (`scene/table` → `scene`), in this process or served at `addr`.
pub async fn domain_of(task_id: &str, addr: Option<&str>, adapter: &AdapterChoice) -> Result<Arc<dyn Domain>> {
    let name = task_id.split('/').next().unwrap_or_default();
    if let Some(addr) = addr {
        let uri = if addr.contains("://") { addr.to_owned() } else { format!("http://{addr}") };
        let channel = connect(&uri).await.with_context(|| format!("cannot reach a server at {uri}"))?;
        return Ok(Arc::new(RemoteDomain::new(channel, name)));
    }
    for domain in local(adapter)? {
        if domain.describe().await?.domain == name {
            return Ok(domain);
        }
    }
    anyhow::bail!("no domain named {name:?} (task ids look like scene/table; see `maquette tasks`)")
}
