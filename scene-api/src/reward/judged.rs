//! A reward, or all of it but the renderer's word.

use super::aggregate::aggregate;
use super::{Profile, Scored, gates};
use crate::studio::Rendered;
use rl_protocol::{Evidence, FailureClass, Outcome, Reward, Unscorable};
use scene_document::Baked;
use std::sync::Arc;

pub(crate) enum Judged {
    Settled(Box<Reward>),
    /// Every gate has passed but the last one, which is the renderer's.
    Unrendered(Box<Unrendered>),
}

/// What the renderer is to draw, and the reward that waits for it.
pub(crate) struct Unrendered {
    pub(crate) scene: Arc<Baked>,
    /// Of the file.
    pub(crate) scene_hash: [u8; 32],
    pub(super) stamped: Reward,
    pub(super) scored: Scored,
    pub(super) profile: Profile,
    /// Of a picture that shows nothing; the message is the renderer's.
    pub(super) blank: Evidence,
}

impl Judged {
    /// The reward with the renderer's word where it is wanted; `Unscorable` where that is missing.
    pub(crate) fn with(self, rendered: Option<Rendered>) -> Reward {
        match (self, rendered) {
            (Self::Settled(reward), _) => *reward,
            (Self::Unrendered(rest), Some(Rendered::Drawn)) => rest.drawn(),
            (Self::Unrendered(rest), Some(Rendered::Blank)) => rest.blank("the rendered picture is of one colour"),
            (Self::Unrendered(rest), None) => {
                let message = format!("profile {:?} needs a renderer, and there is none", rest.profile.id);
                rest.unscorable("NO_RENDERER", message, false)
            }
        }
    }
}

impl Unrendered {
    pub(crate) fn drawn(self) -> Reward {
        self.settled(None)
    }

    /// `why` goes into the evidence.
    pub(crate) fn blank(self, why: &str) -> Reward {
        let evidence = Evidence { message: why.into(), ..self.blank.clone() };
        self.settled(Some(evidence))
    }

    /// The renderer failed: that is ours, and no gate.
    pub(crate) fn unscorable(self, code: &str, message: String, retryable: bool) -> Reward {
        let why = Unscorable { class: FailureClass::Infra, code: code.into(), message, retryable };
        Reward { outcome: Outcome::Unscorable(why), ..self.stamped }
    }

    fn settled(self, blank: Option<Evidence>) -> Reward {
        let Self { stamped, mut scored, profile, .. } = self;
        scored.gates.push(gates::renderability(blank, &profile.thresholds));
        scored.rewarded(stamped, &profile)
    }
}

impl Scored {
    /// With a value, where nothing is left to judge.
    pub(super) fn rewarded(self, stamped: Reward, profile: &Profile) -> Reward {
        let Self { gates, components, graded } = self;
        let (value, factors) = aggregate(&profile.thresholds, &gates, graded.as_ref());
        Reward { outcome: Outcome::Value(value), gates, components, factors, ..stamped }
    }
}
