//! How a state was reached: the steps from the opening, without what was rolled back. What an export is made of.

use crate::{Code, DomainError, journal::Leg};
use rpds::VectorSync;
use std::sync::Arc;

/// Of the steps that one session remembers, on all its branches, those of its parent included.
const REMEMBERED_BYTES: usize = 8 << 20;

/// Clones share the steps.
#[derive(Clone, Default)]
pub(super) struct Way {
    legs: VectorSync<Arc<Leg>>,
    /// Of their lines.
    bytes: usize,
    /// More was played than is remembered.
    is_cut: bool,
}

impl Way {
    pub(super) fn of(legs: Vec<Arc<Leg>>) -> Self {
        let bytes = legs.iter().map(|leg| leg.bytes()).sum();
        Self { legs: legs.into_iter().collect(), bytes, is_cut: false }
    }

    /// What a session that begins with it may remember beside.
    pub(super) fn room_bytes(&self) -> usize {
        REMEMBERED_BYTES.saturating_sub(self.bytes)
    }

    /// `room_bytes` is what the session may yet remember; where that is too little the way is forgotten.
    pub(super) fn push(&mut self, leg: Arc<Leg>, room_bytes: &mut usize) {
        let bytes = leg.bytes();
        match room_bytes.checked_sub(bytes) {
            Some(left) if !self.is_cut => {
                *room_bytes = left;
                self.bytes += bytes;
                self.legs.push_back_mut(leg);
            }
            _ => *self = Self { is_cut: true, ..Self::default() },
        }
    }

    /// `ResourceExhausted` where it was too long to be remembered.
    pub(super) fn legs(&self) -> Result<Vec<Arc<Leg>>, DomainError> {
        if self.is_cut {
            let message = format!("more than {REMEMBERED_BYTES} bytes of calls were played in this session");
            return Err(DomainError::new(Code::ResourceExhausted, "HISTORY_TOO_LONG", message));
        }
        Ok(self.legs.iter().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCall;

    #[test]
    fn a_way_that_is_too_long_is_not_told_in_part() {
        let leg = Arc::new(Leg::new(vec![ToolCall { name: "add".into(), arguments_json: "{}".into() }], &[1]));
        let (mut way, mut room_bytes) = (Way::default(), 2 * leg.bytes());
        way.push(Arc::clone(&leg), &mut room_bytes);
        let before = way.clone();
        way.push(Arc::clone(&leg), &mut room_bytes);
        assert_eq!((way.legs().unwrap().len(), room_bytes), (2, 0));
        let (inherited, imported) = (way.room_bytes(), Way::of(way.legs().unwrap()).room_bytes());
        assert_eq!(
            (inherited, imported),
            (REMEMBERED_BYTES - 2 * leg.bytes(), inherited),
            "forks of forks are bounded"
        );
        way.push(Arc::clone(&leg), &mut room_bytes);
        assert_eq!(way.legs().unwrap_err().reason, "HISTORY_TOO_LONG");
        assert_eq!(before.legs().unwrap().len(), 1);
    }
}
