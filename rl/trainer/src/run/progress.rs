//! How far a run is, for who watches: a bar where there is a terminal, else lines.

use super::evaluate::EvaluationLine;
use crate::pipeline::StepLine;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;

/// Share of a step in the running mean of rewards.
pub(super) const EMA: f64 = 0.1;

pub struct Progress {
    bar: ProgressBar,
    steps: u64,
    reward: Option<f64>,
}

impl Progress {
    /// Of a run of `steps` that stands at `step`.
    #[must_use]
    pub fn new(step: u64, steps: u64) -> Self {
        let bar = ProgressBar::new(steps).with_position(step);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg} ETA {eta}") {
            bar.set_style(style);
        }
        bar.reset_eta();
        Self { bar, steps, reward: None }
    }

    /// For programs and tests.
    #[must_use]
    pub fn silent() -> Self {
        Self { bar: ProgressBar::hidden(), steps: 0, reward: None }
    }

    pub fn step(&mut self, line: &StepLine) {
        let reward = self.reward.map_or(line.reward.mean, |old| old + EMA * (line.reward.mean - old));
        self.reward = Some(reward);
        let text = format!(
            "reward {reward:.3} (now {:.3} ± {:.3}), entropy {:.2}, {:.0} tok/s",
            line.reward.mean,
            line.reward.std,
            line.update.entropy,
            line.sampled_tokens as f64 / line.told.step_secs.max(1e-3),
        );
        self.bar.set_position(line.step + 1);
        self.bar.set_message(text.clone());
        self.say_where_no_bar_is(&format!("step {}/{}: {text}", line.step + 1, self.steps));
    }

    pub fn evaluation(&self, name: &str, line: &EvaluationLine) {
        let sources: BTreeMap<&str, String> =
            line.sources.iter().map(|(name, score)| (name.as_str(), format!("{:.3}", score.reward))).collect();
        let text =
            format!("{name} after {} steps: {:.3} over {} episodes {sources:?}", line.step, line.reward, line.episodes);
        self.bar.println(&text);
        self.say_where_no_bar_is(&text);
    }

    /// Leaves the bar as it stands.
    pub fn finish(&self) {
        self.bar.abandon();
    }

    fn say_where_no_bar_is(&self, text: &str) {
        if self.bar.is_hidden() && self.steps > 0 {
            eprintln!("{text}");
        }
    }
}
