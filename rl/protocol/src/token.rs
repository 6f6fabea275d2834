//! Names that nobody can guess: session ids and idempotency keys.

use std::hash::{BuildHasher as _, RandomState};

/// 128 bits as 32 hexadecimal digits; the keys behind them come from the operating system.
pub(crate) fn token() -> String {
    let keys = RandomState::new();
    format!("{:016x}{:016x}", keys.hash_one(0_u8), keys.hash_one(1_u8))
}
