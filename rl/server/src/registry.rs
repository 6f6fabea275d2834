//! The domains of this binary. The one place that knows a domain in this process from one behind an address.

use anyhow::{Context, Result};
use rl_protocol::{Domain, RemoteDomain, connect};
use scene_api::SceneDomain;
use std::sync::Arc;

pub(crate) fn local() -> Result<Vec<Arc<dyn Domain>>> {
    Ok(vec![Arc::new(SceneDomain::new().context("the scene domain's built-in tasks")?)])
}

/// The domain of a task (`scene/table` → `scene`), in this process or served at `addr`.
pub(crate) async fn domain_of(task_id: &str, addr: Option<&str>) -> Result<Arc<dyn Domain>> {
    let name = task_id.split('/').next().unwrap_or_default();
    if let Some(addr) = addr {
        let uri = if addr.contains("://") { addr.to_owned() } else { format!("http://{addr}") };
        let channel = connect(&uri).await.with_context(|| format!("cannot reach a server at {uri}"))?;
        return Ok(Arc::new(RemoteDomain::new(channel, name)));
    }
    for domain in local()? {
        if domain.describe().await?.domain == name {
            return Ok(domain);
        }
    }
    anyhow::bail!("no domain named {name:?} (task ids look like scene/table; see `maquette tasks`)")
}
