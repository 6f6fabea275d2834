//! Names that nobody can guess: session ids, idempotency keys, the server's instance.

use crate::{Code, DomainError};

/// 128 bits from the operating system as 32 hexadecimal digits.
pub(crate) fn token() -> Result<String, DomainError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| DomainError::new(Code::Unavailable, "NO_RANDOMNESS", error.to_string()))?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}
