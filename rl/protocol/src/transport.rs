//! What both ends of a connection agree on.

use std::time::Duration;

/// A connection whose peer does not answer a ping for this long is closed.
pub(crate) const KEEPALIVE: Duration = Duration::from_secs(20);
/// HTTP/2 flow-control windows in bytes: large artifacts should not wait for acknowledgements.
pub(crate) const STREAM_WINDOW: u32 = 1 << 20;
pub(crate) const CONNECTION_WINDOW: u32 = 4 << 20;
/// Of one reply, the pictures of a step included; large observations come in pieces.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 << 20;
