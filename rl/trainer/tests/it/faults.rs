//! A policy that learns while every tenth call to its environments fails.

use crate::{
    guess::{Answer, Server},
    pick::{self, Pick},
};
use maquette_train::{
    pipeline::StepLine,
    rollout::Environments,
    run::{Line, Progress, RunFolder, Session, read_lines},
};
use rl_protocol::{
    Code, Content, Description, Domain, DomainError, Episode, FailureClass, ObserveOptions, OpenSpec, Opening, Reward,
    StepOutcome, Subject, TaskInfo, ToolCall, Unscorable,
};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Steps between two looks at how far the policy is.
const PIECE: u64 = 25;
const MOST_STEPS: u64 = 400;
/// Of groups and members in `pick::config`.
const EPISODES: u64 = 32;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// Whatever held the episode is gone: this call fails, and every later one.
    Lost,
    /// It was played, and could not be scored.
    Unscored,
}

/// Calls so far.
#[derive(Clone, Default)]
struct Faults(Arc<AtomicU64>);

impl Faults {
    /// Of every tenth call, the two kinds in turn.
    fn of_this_call(&self) -> Option<Fault> {
        let number = self.0.fetch_add(1, Ordering::SeqCst);
        let kind = if (number / 10).is_multiple_of(2) { Fault::Lost } else { Fault::Unscored };
        (number % 10 == 9).then_some(kind)
    }
}

/// The client asks three times more, so soon that nobody waits for it.
fn lost() -> DomainError {
    DomainError::new(Code::Unavailable, "INJECTED", "as planned").retry_after(1)
}

fn unscored() -> Reward {
    let (code, message) = ("INJECTED".into(), "as planned".into());
    Reward::unscorable("pick/1", Unscorable { class: FailureClass::Infra, code, message, retryable: true })
}

/// [`Pick`] on machines that fail.
struct Failing {
    pick: Pick,
    faults: Faults,
}

impl Domain for Failing {
    fn describe<'s, 'f>(&'s self) -> Answer<'f, Description>
    where
        's: 'f,
    {
        self.pick.describe()
    }

    fn tasks<'s, 'n, 'f>(&'s self, split: Option<&'n str>) -> Answer<'f, Vec<TaskInfo>>
    where
        's: 'f,
        'n: 'f,
    {
        self.pick.tasks(split)
    }

    fn open<'s, 'f>(&'s self, spec: OpenSpec) -> Answer<'f, Vec<Box<dyn Episode>>>
    where
        's: 'f,
    {
        Box::pin(async move {
            if self.faults.of_this_call().is_some() {
                return Err(lost());
            }
            let episodes = self.pick.open(spec).await?;
            let failing = |episode| -> Box<dyn Episode> {
                Box::new(FailingEpisode { episode, faults: self.faults.clone(), is_lost: false })
            };
            Ok(episodes.into_iter().map(failing).collect())
        })
    }

    fn score<'s, 'p, 'f>(&'s self, subject: Subject, profile: Option<&'p str>) -> Answer<'f, Reward>
    where
        's: 'f,
        'p: 'f,
    {
        self.pick.score(subject, profile)
    }

    fn ready<'s, 'f>(&'s self) -> Answer<'f, ()>
    where
        's: 'f,
    {
        self.pick.ready()
    }
}

struct FailingEpisode {
    episode: Box<dyn Episode>,
    faults: Faults,
    is_lost: bool,
}

impl FailingEpisode {
    /// Whether the reward of this call is lost; an error where the episode is.
    fn called(&mut self) -> Result<bool, DomainError> {
        let fault = if self.is_lost { Some(Fault::Lost) } else { self.faults.of_this_call() };
        self.is_lost = fault == Some(Fault::Lost);
        if self.is_lost { Err(lost()) } else { Ok(fault == Some(Fault::Unscored)) }
    }
}

impl Episode for FailingEpisode {
    fn opening(&self) -> &Opening {
        self.episode.opening()
    }

    fn step<'s, 'f>(&'s mut self, calls: Vec<ToolCall>) -> Answer<'f, StepOutcome>
    where
        's: 'f,
    {
        Box::pin(async move {
            let is_unscored = self.called()?;
            let mut outcome = self.episode.step(calls).await?;
            if is_unscored {
                outcome.reward = outcome.reward.map(|_| unscored());
            }
            Ok(outcome)
        })
    }

    fn fork<'s, 'f>(&'s mut self) -> Answer<'f, Box<dyn Episode>>
    where
        's: 'f,
    {
        self.episode.fork()
    }

    fn observe<'s, 'w, 'f>(&'s mut self, want: &'w [String], options: ObserveOptions) -> Answer<'f, Vec<Content>>
    where
        's: 'f,
        'w: 'f,
    {
        self.episode.observe(want, options)
    }

    fn score<'s, 'p, 'f>(&'s mut self, profile: Option<&'p str>) -> Answer<'f, Reward>
    where
        's: 'f,
        'p: 'f,
    {
        Box::pin(async move {
            if self.called()? {
                return Ok(unscored());
            }
            self.episode.score(profile).await
        })
    }
}

/// A run that plays at a server.
struct Run {
    session: Session,
    folder: RunFolder,
}

impl Run {
    fn start(server: &Server, folder: &Path) -> Self {
        let mut environments = Environments::new().unwrap();
        environments.connect(&server.uri, "pick").unwrap();
        let folder = RunFolder::new(folder);
        let mut config = pick::config("threads = 1");
        config.run.steps = MOST_STEPS;
        config.evaluation.every = PIECE;
        Self { session: Session::among(config, folder.clone(), environments, None).unwrap(), folder }
    }

    fn advance(&mut self, step: u64) {
        self.session.advance_to(step, &mut Progress::silent()).unwrap();
    }

    fn steps(&self) -> Vec<StepLine> {
        let of_step = |line| match line {
            Line::Step(step) => Some(*step),
            _ => None,
        };
        read_lines(&self.folder.metrics()).unwrap().into_iter().filter_map(of_step).collect()
    }

    /// Of the last ten steps.
    fn sampled_reward(&self) -> f64 {
        let steps = self.steps();
        let last = &steps[steps.len() - 10..];
        last.iter().map(|step| step.reward.mean).sum::<f64>() / 10.0
    }

    /// Of the last evaluation.
    fn held_out_reward(&self) -> f64 {
        let lines: Vec<Line> = read_lines(&self.folder.metrics()).unwrap();
        let of_evaluation = |line: &Line| match line {
            Line::Evaluation(line) => Some(line.reward),
            _ => None,
        };
        lines.iter().rev().find_map(of_evaluation).unwrap()
    }
}

#[test]
fn a_tenth_of_all_calls_may_fail_and_the_policy_learns_the_same() {
    let temporary = tempfile::tempdir().unwrap();
    let server = Server::start(Pick);
    let mut whole = Run::start(&server, &temporary.path().join("whole"));
    let learnt = (1..MOST_STEPS / PIECE).map(|piece| piece * PIECE).find(|step| {
        whole.advance(*step);
        whole.sampled_reward() >= 0.95
    });
    // So that neither is compared where the other is still rising.
    let steps = learnt.unwrap() + PIECE;
    whole.advance(steps);

    let server = Server::start(Failing { pick: Pick, faults: Faults::default() });
    let mut disturbed = Run::start(&server, &temporary.path().join("disturbed"));
    disturbed.advance(steps);
    let (of_whole, of_disturbed) = (whole.steps(), disturbed.steps());
    let sum = |of: fn(&StepLine) -> u64| of_disturbed.iter().map(of).sum::<u64>();

    let infra = sum(|step| step.failures.get("INFRA").copied().unwrap_or(0));
    assert!(infra > steps && sum(|step| step.refills) > steps, "only {infra} failures in {steps} steps");
    let other: Vec<_> =
        of_disturbed.iter().flat_map(|step| step.failures.keys()).filter(|class| *class != "INFRA").collect();
    assert!(other.is_empty(), "{other:?}");

    // None became a zero: each episode was played in the end, or is missing.
    assert_eq!(sum(|step| step.policy_failures), 0);
    for step in of_disturbed.iter().filter(|step| step.dropped_groups == 0) {
        assert_eq!(step.episodes + step.dropped_members, EPISODES, "step {}", step.step);
    }
    assert!(sum(|step| step.dropped_members) < steps * EPISODES / 50, "too many episodes are missing");
    let [first_of_whole, first_of_disturbed] = [&of_whole[0], &of_disturbed[0]];
    if first_of_disturbed.dropped_members == 0 {
        assert_eq!(first_of_disturbed.reward, first_of_whole.reward, "equal weights, and so equal episodes");
    }

    let held_out = [whole.held_out_reward(), disturbed.held_out_reward()];
    assert!((held_out[0] - held_out[1]).abs() <= 0.03, "{held_out:?}");
    let sampled = [whole.sampled_reward(), disturbed.sampled_reward()];
    assert!((sampled[0] - sampled[1]).abs() <= 0.03, "{sampled:?}");
}
