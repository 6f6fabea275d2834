//! Episodes on their way through the slots: opened, seated, decoded, answered by their environments, ended.

use super::{
    conversation,
    engine::{Engine, EngineError, GroupRequest, Policy},
    in_flight::InFlight,
    outcome::{Failure, class_name, outcome_of},
    play::{Next, Play},
    refill,
    report::RolloutReport,
};
use crate::{grammar::ToolGrammar, model::Prefix, tokens::Token, trajectory::Outcome};
use rl_protocol::{Domain, Episode, OpenSpec, Reward, StepOutcome, ToolCall};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::sleep;

/// Tokens that a slot may bring to a step of all slots; more than that goes in before, slot by slot.
const TOGETHER: usize = 8;
/// Tokens of one such piece.
const PIECE: usize = 256;

pub(super) struct Episodes<'a> {
    engine: &'a mut Engine,
    policy: Policy,
    groups: Vec<Group>,
    /// Groups that were asked for, from the first.
    asked: usize,
    /// Members that are being opened.
    opening: usize,
    lobby: VecDeque<Arrival>,
    /// By slot.
    seats: Vec<Option<Seat>>,
    in_flight: InFlight<Question, Result<Answer, Failure>>,
    /// Of groups whose prompt went through the model, for the members that come later; one that opened otherwise reads its
    /// own. At most as many as there are slots.
    prompts: BTreeMap<usize, Prompt>,
    report: RolloutReport,
}

struct Prompt {
    tokens: Vec<Token>,
    prefix: Prefix,
}

struct Group {
    request: GroupRequest,
    domain: Arc<dyn Domain>,
    /// By member.
    tries: Vec<u32>,
}

/// Opened, and waiting for a slot.
struct Arrival {
    group: usize,
    member: u32,
    episode: Box<dyn Episode>,
}

struct Seat {
    play: Play,
    grammar: ToolGrammar,
    /// `None` while the environment is at work; else the policy has a token to choose.
    episode: Option<Box<dyn Episode>>,
}

enum Question {
    Open { group: usize, members: Vec<u32> },
    Play { slot: usize },
}

enum Answer {
    Opened(Vec<Box<dyn Episode>>),
    Stepped(Box<dyn Episode>, StepOutcome),
    Scored(Reward),
}

impl<'a> Episodes<'a> {
    pub(super) fn new(
        engine: &'a mut Engine,
        requests: Vec<GroupRequest>,
        policy: Policy,
    ) -> Result<Self, EngineError> {
        let mut groups = Vec::with_capacity(requests.len());
        for request in requests {
            let domain = Arc::clone(&engine.environments.named(&request.domain)?.domain);
            groups.push(Group { domain, tries: vec![0; request.members as usize], request });
        }
        let in_flight = InFlight::new(engine.environments.runtime().clone());
        let seats = (0..engine.config.slots).map(|_| None).collect();
        Ok(Self {
            engine,
            policy,
            groups,
            asked: 0,
            opening: 0,
            lobby: VecDeque::new(),
            seats,
            in_flight,
            prompts: BTreeMap::new(),
            report: RolloutReport::default(),
        })
    }

    pub(super) fn played(mut self) -> Result<RolloutReport, EngineError> {
        let begun = Instant::now();
        loop {
            self.open_ahead();
            self.take_in_what_came()?;
            self.take_seats()?;
            if self.seats.iter().flatten().any(|seat| seat.episode.is_some()) {
                let from = Instant::now();
                self.decode()?;
                self.report.decode_secs += from.elapsed().as_secs_f64();
            } else if !self.in_flight.is_empty() {
                self.wait()?;
            } else if self.lobby.is_empty() && self.asked == self.groups.len() {
                break;
            }
        }
        self.report.wall_secs = begun.elapsed().as_secs_f64();
        Ok(self.sorted())
    }

    /// Asks for groups while fewer members wait for a slot than there are slots.
    fn open_ahead(&mut self) {
        while self.asked < self.groups.len() && self.lobby.len() + self.opening < self.seats.len() {
            let group = self.asked;
            self.asked += 1;
            let members: Vec<u32> = (0..self.groups[group].request.members).collect();
            if !members.is_empty() {
                self.open(group, members, Duration::ZERO);
            }
        }
    }

    fn open(&mut self, group: usize, members: Vec<u32>, after: Duration) {
        let Group { request, domain, tries } = &mut self.groups[group];
        for member in &members {
            tries[*member as usize] += 1;
        }
        self.opening += members.len();
        let spec = OpenSpec {
            task_id: request.task_id.clone(),
            count: members.len() as u32,
            seed: request.seed,
            profile: None,
            tool_groups: request.tool_groups.clone(),
        };
        let domain = Arc::clone(domain);
        let opened = async move {
            sleep(after).await;
            domain.open(spec).await.map(Answer::Opened).map_err(Failure::of_open)
        };
        self.in_flight.ask(Question::Open { group, members }, after + self.engine.config.open_within, opened);
    }

    fn take_in_what_came(&mut self) -> Result<(), EngineError> {
        if !self.engine.config.lockstep {
            while let Some((question, answer)) = self.in_flight.poll() {
                self.take_in(question, answer)?;
            }
            return Ok(());
        }
        while !self.in_flight.is_empty() {
            let from = Instant::now();
            let all = self.in_flight.wait_for_all();
            self.report.wait_secs += from.elapsed().as_secs_f64();
            for (question, answer) in all {
                self.take_in(question, answer)?;
            }
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<(), EngineError> {
        let from = Instant::now();
        let came = self.in_flight.wait();
        self.report.wait_secs += from.elapsed().as_secs_f64();
        came.map_or(Ok(()), |(question, answer)| self.take_in(question, answer))
    }

    /// `None` is an answer that did not come in time.
    fn take_in(&mut self, question: Question, answer: Option<Result<Answer, Failure>>) -> Result<(), EngineError> {
        match question {
            Question::Open { group, members } => {
                self.opening -= members.len();
                match answer.unwrap_or_else(|| Err(Failure::deadline(self.engine.config.open_within))) {
                    Ok(Answer::Opened(episodes)) if episodes.len() == members.len() => {
                        let arrival = |(member, episode)| Arrival { group, member, episode };
                        self.lobby.extend(members.into_iter().zip(episodes).map(arrival));
                    }
                    Ok(_) => self.failed(group, members, Failure::odd("not as many episodes as were asked for")),
                    Err(failure) => self.failed(group, members, failure),
                }
            }
            Question::Play { slot } => {
                let Some(seat) = self.seats[slot].take() else { return Ok(()) };
                match answer.unwrap_or_else(|| Err(Failure::deadline(self.engine.config.step_within))) {
                    Ok(Answer::Stepped(episode, outcome)) => self.stepped(slot, seat, episode, outcome)?,
                    Ok(Answer::Scored(reward)) => self.rewarded(seat.play, reward),
                    Ok(Answer::Opened(_)) => self.unplayed(&seat.play, Failure::odd("episodes in place of a result")),
                    Err(failure) => self.unplayed(&seat.play, failure),
                }
            }
        }
        Ok(())
    }

    fn take_seats(&mut self) -> Result<(), EngineError> {
        for slot in 0..self.seats.len() {
            while self.seats[slot].is_none() {
                let Some(arrival) = self.lobby.pop_front() else { return Ok(()) };
                self.take_seat(slot, arrival)?;
            }
        }
        Ok(())
    }

    fn take_seat(&mut self, slot: usize, arrival: Arrival) -> Result<(), EngineError> {
        let Arrival { group, member, episode } = arrival;
        let request = &self.groups[group].request;
        let opening = episode.opening();
        let grammar = self.engine.grammar(&request.domain, &opening.tool_groups)?;
        let tokenizer = self.engine.tokenizer.as_ref();
        let tokens = if request.prompt.is_empty() {
            conversation::task(tokenizer, &conversation::texts(&opening.observation))
        } else {
            conversation::task(tokenizer, &request.prompt)
        };
        let play = Play::new(group, member, tokens, &grammar)?;
        self.engine.decoder.clear(slot);
        self.go_on(slot, Seat { play, grammar, episode: None }, episode)
    }

    /// Up to the next choice of the policy, or question to the environment.
    fn go_on(&mut self, slot: usize, mut seat: Seat, episode: Box<dyn Episode>) -> Result<(), EngineError> {
        match seat.play.advance(self.engine.tokenizer.as_ref(), self.engine.limits())? {
            Next::Choice => self.seats[slot] = Some(Seat { episode: Some(episode), ..seat }),
            Next::Call(text) => match conversation::call(&text) {
                Some(call) => self.step(slot, seat, episode, call),
                None => self.ended(seat.play, Outcome::PolicyFailure { what: format!("{text:?} is no call") }),
            },
            Next::CallTooLong => {
                let what = format!("no end of a call within {} tokens", self.engine.config.call_tokens_max);
                self.ended(seat.play, Outcome::PolicyFailure { what });
            }
            Next::ContextFull if seat.play.has_chosen() => self.score(slot, seat, episode),
            Next::ContextFull => {
                let (has, context) = (seat.play.token_count(), self.engine.config.context);
                let failure =
                    Failure::task(format!("{has} tokens before the first choice, and a context of {context}"));
                self.unplayed(&seat.play, failure);
            }
        }
        Ok(())
    }

    fn step(&mut self, slot: usize, seat: Seat, mut episode: Box<dyn Episode>, call: ToolCall) {
        let stepped = async move {
            let outcome = episode.step(vec![call]).await.map_err(Failure::of_episode);
            outcome.map(|outcome| Answer::Stepped(episode, outcome))
        };
        self.seats[slot] = Some(seat);
        self.in_flight.ask(Question::Play { slot }, self.engine.config.step_within, stepped);
    }

    fn score(&mut self, slot: usize, seat: Seat, mut episode: Box<dyn Episode>) {
        let scored = async move { episode.score(None).await.map(Answer::Scored).map_err(Failure::of_episode) };
        self.seats[slot] = Some(seat);
        self.in_flight.ask(Question::Play { slot }, self.engine.config.step_within, scored);
    }

    fn stepped(
        &mut self,
        slot: usize,
        mut seat: Seat,
        episode: Box<dyn Episode>,
        outcome: StepOutcome,
    ) -> Result<(), EngineError> {
        seat.play.played();
        match (outcome.end, outcome.reward, outcome.results.first()) {
            (Some(_), Some(reward), _) => self.rewarded(seat.play, reward),
            (Some(_), None, _) => self.unplayed(&seat.play, Failure::odd("an end without a reward")),
            (None, _, None) => self.unplayed(&seat.play, Failure::odd("a call without a result")),
            (None, _, Some(_)) if seat.play.turns() >= self.engine.config.turns_max => self.score(slot, seat, episode),
            (None, _, Some(result)) => {
                let tokenizer = self.engine.tokenizer.as_ref();
                let tokens = conversation::result(tokenizer, result, self.engine.config.results);
                seat.play.read(tokens, &seat.grammar)?;
                self.go_on(slot, seat, episode)?;
            }
        }
        Ok(())
    }

    /// One token for every slot that has a choice.
    fn decode(&mut self) -> Result<(), EngineError> {
        for (slot, seat) in self.seats.iter_mut().enumerate() {
            let decoder = &mut self.engine.decoder;
            if seat.is_none() {
                // The shape of the work would tell of an earlier episode, even of an earlier rollout.
                decoder.clear(slot);
            }
            let Some(Seat { play, episode: Some(_), .. }) = seat else { continue };
            let whole = &play.pending()[..play.pending().len().saturating_sub(1)];
            let known = self.prompts.get(&play.group).filter(|prompt| decoder.is_empty(slot) && prompt.tokens == whole);
            if let Some(Prompt { tokens, prefix }) = known {
                decoder.begin(slot, prefix);
                play.feed(tokens.len());
                continue;
            }
            let is_shared = self.groups[play.group].request.members > 1;
            let prompt = (is_shared && decoder.is_empty(slot) && whole.len() >= TOGETHER).then(|| whole.to_vec());
            while play.pending().len() > TOGETHER {
                let piece = (play.pending().len() - 1).min(PIECE);
                decoder.feed(slot, &play.pending()[..piece])?;
                play.feed(piece);
                self.report.fed_tokens += piece as u64;
            }
            if let Some(tokens) = prompt.filter(|_| play.pending().len() == 1) {
                self.prompts.insert(play.group, Prompt { tokens, prefix: decoder.prefix(slot) });
                if self.prompts.len() > self.engine.config.slots {
                    self.prompts.pop_first();
                }
            }
        }
        let pending: Vec<_> = self
            .seats
            .iter()
            .map(|seat| match seat {
                Some(Seat { play, episode: Some(_), .. }) => play.pending(),
                _ => &[][..],
            })
            .collect();
        let logits = self.engine.decoder.decode(&pending)?;
        for (slot, logits) in logits.iter().enumerate() {
            if let Some(Seat { mut play, grammar, episode: Some(episode) }) =
                self.seats[slot].take_if(|seat| seat.episode.is_some())
            {
                let fed = play.pending().len();
                play.feed(fed);
                self.report.fed_tokens += fed as u64;
                self.report.sampled_tokens += 1;
                let request = &self.groups[play.group].request;
                play.choose(logits, request, &self.policy, self.engine.config.temperature)?;
                self.go_on(slot, Seat { play, grammar, episode: None }, episode)?;
            }
        }
        Ok(())
    }

    fn rewarded(&mut self, play: Play, reward: Reward) {
        match outcome_of(reward) {
            Ok(outcome) => self.ended(play, outcome),
            Err(failure) => self.unplayed(&play, failure),
        }
    }

    fn ended(&mut self, play: Play, outcome: Outcome) {
        let request = &self.groups[play.group].request;
        let temperature = self.engine.config.temperature;
        let trajectory = play.into_trajectory(request, &self.policy, temperature, self.engine.limits(), outcome);
        self.report.trajectories.push(trajectory);
    }

    fn unplayed(&mut self, play: &Play, failure: Failure) {
        self.failed(play.group, vec![play.member], failure);
    }

    /// Opens these members again, or gives them up.
    fn failed(&mut self, group: usize, members: Vec<u32>, failure: Failure) {
        let counted = self.report.failures.entry(class_name(failure.class)).or_default();
        counted.count += 1;
        counted.last.clone_from(&failure.what);
        let Group { request, tries, .. } = &self.groups[group];
        let made = members.iter().map(|member| tries[*member as usize]).max().unwrap_or(0);
        match refill::delay(made, &failure) {
            Some(delay) => {
                self.report.refills += members.len() as u64;
                self.open(group, members, delay);
            }
            None => self.report.dropped_members.extend(members.into_iter().map(|member| (request.group, member))),
        }
    }

    /// By group and member, without groups that have too few left to be compared with each other.
    fn sorted(self) -> RolloutReport {
        let mut report = self.report;
        let mut left: BTreeMap<u64, u32> = BTreeMap::new();
        for trajectory in &report.trajectories {
            *left.entry(trajectory.group).or_default() += 1;
        }
        for Group { request, .. } in &self.groups {
            if left.get(&request.group).copied().unwrap_or(0) < request.members.min(2) {
                report.dropped_groups.push(request.group);
            }
        }
        report.dropped_groups.sort_unstable();
        report.dropped_members.sort_unstable();
        report.trajectories.retain(|trajectory| report.dropped_groups.binary_search(&trajectory.group).is_err());
        report.trajectories.sort_by_key(|trajectory| (trajectory.group, trajectory.member));
        report
    }
}
