//! The reward, once the renderer has been asked where the profile wants it.

use super::aggregate::aggregate;
use super::delivered::Maker;
use super::scored::{Scored, Undrawn, scored};
use super::{Profile, gates};
use crate::studio::{Renderability, Studio};
use crate::task::SceneTask;
use rl_protocol::{Code, DomainError, Evidence, FailureClass, Outcome, Reward, Unscorable};
use scene_document::gltf::Resolve;

/// All of a reward but the renderer's word, which takes its time.
pub(crate) struct Judged {
    profile: Profile,
    /// Empty where there is no file.
    file_hash: Vec<u8>,
    found: Result<Scored, Unscorable>,
}

/// What a studio answered.
type Word = Result<(Renderability, String), DomainError>;

/// Measures a file. `maker` is the episode that made it, where one did.
pub(crate) fn judge(
    glb: &[u8],
    resolve: Resolve<'_>,
    maker: Option<Maker<'_>>,
    task: Option<&SceneTask>,
    profile: &Profile,
    seed: u64,
) -> Judged {
    let found = match (profile.needs_task, task) {
        (true, None) => Err(Unscorable {
            class: FailureClass::Task,
            code: "TASK_REQUIRED".into(),
            message: format!("profile {:?} scores a task's scene; name the task or use \"file/0\"", profile.id),
            retryable: false,
        }),
        (needs_task, task) => scored(glb, resolve, maker, task.filter(|_| needs_task), profile, seed),
    };
    Judged { profile: profile.clone(), file_hash: blake3::hash(glb).as_bytes().to_vec(), found }
}

impl Judged {
    /// Of a scene that gave no file.
    pub(crate) fn unscorable(profile: &Profile, why: Unscorable) -> Self {
        Self { profile: profile.clone(), file_hash: Vec::new(), found: Err(why) }
    }

    /// Where there is no studio to ask.
    pub(crate) fn alone(self) -> Reward {
        self.told(None)
    }

    /// Asks the studio only where its gate is the last one that is open. If it fails, the reward is `Unscorable`.
    pub(crate) async fn settled(self, studio: Option<&dyn Studio>) -> Reward {
        let undrawn = self.found.as_ref().ok().and_then(|scored| scored.undrawn.as_ref());
        let word = match (undrawn, studio) {
            (Some(Undrawn { scene, scene_hash, .. }), Some(studio)) => {
                Some(studio.renderability(scene.clone(), *scene_hash).await)
            }
            _ => None,
        };
        self.told(word)
    }

    fn told(self, word: Option<Word>) -> Reward {
        let Self { profile, file_hash, found } = self;
        let (outcome, gates, components, factors) = match found.and_then(|scored| rendered(scored, word, &profile)) {
            Ok(Scored { gates, components, graded, .. }) => {
                let (value, factors) = aggregate(&profile.thresholds, &gates, graded.as_ref());
                (Outcome::Value(value), gates, components, factors)
            }
            Err(why) => (Outcome::Unscorable(why), Vec::new(), Vec::new(), Vec::new()),
        };
        Reward {
            outcome,
            gates,
            components,
            factors,
            profile_id: profile.id.into(),
            profile_hash: profile.hash().to_vec(),
            attempt: 1,
            scored_state_hash: file_hash,
        }
    }
}

/// With the renderer's gate, where it is still open. A renderer that fails, or is not there, is no gate.
fn rendered(mut scored: Scored, word: Option<Word>, profile: &Profile) -> Result<Scored, Unscorable> {
    let Some(Undrawn { blank, .. }) = scored.undrawn.take() else { return Ok(scored) };
    let infra = |code: String, message, retryable| Unscorable { class: FailureClass::Infra, code, message, retryable };
    let finding = match word {
        Some(Ok((Renderability::Drawn, _))) => None,
        Some(Ok((Renderability::Blank, by))) => {
            Some(Evidence { message: format!("the picture rendered by {by} is of one colour"), ..blank })
        }
        Some(Err(error)) => {
            let retryable = error.code != Code::FailedPrecondition;
            return Err(infra(error.reason.into_owned(), error.message, retryable));
        }
        None => {
            let message = format!("profile {:?} needs a renderer, and there is none", profile.id);
            return Err(infra("NO_RENDERER".into(), message, false));
        }
    };
    scored.gates.push(gates::renderability(finding, &profile.thresholds));
    Ok(scored)
}
