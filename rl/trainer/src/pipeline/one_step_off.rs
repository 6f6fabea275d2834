//! Rollouts of the next step on a thread of their own, with the weights of now, while the gradients of this step are
//! computed. Both end before the weights change, so nothing is ever more than one update stale.
//!
//! The tasks of a step are those of the synchronous loop, but for a curriculum, which knows a step less.

use super::{Pipeline, PipelineError, Rolled, StepLine};
use std::time::Instant;

pub(super) fn advance(pipeline: &mut Pipeline) -> Result<StepLine, PipelineError> {
    let begun = Instant::now();
    let policy = pipeline.policy();
    let rolled = match pipeline.ahead.take() {
        Some(rolled) => rolled,
        None => {
            let (requests, plan) = pipeline.plan(pipeline.step);
            Rolled { plan, report: pipeline.engine.run(requests, policy)?, version: policy.version }
        }
    };
    pipeline.record(&rolled);
    let is_last = pipeline.step + 1 >= pipeline.config.run.steps;
    let (requests, plan) = pipeline.plan(pipeline.step + 1);
    let Pipeline { config, sources, learner, engine, step, .. } = pipeline;
    let (line, ahead) = std::thread::scope(|scope| {
        let ahead = if is_last { None } else { Some(scope.spawn(|| engine.run(requests, policy))) };
        let line = learner.learn(config, sources, *step, &rolled);
        let ahead = ahead.map(|thread| thread.join().map_err(|_| PipelineError::Panicked));
        (line, ahead)
    });
    let mut line = line?;
    let ahead = ahead.transpose()?.transpose()?;
    engine.model().copy_from(learner.model());
    *step += 1;
    pipeline.ahead = ahead.map(|report| Rolled { plan, report, version: policy.version });
    line.stage = pipeline.curriculum.as_ref().map(super::Curriculum::stage);
    line.told.step_secs = begun.elapsed().as_secs_f64();
    Ok(line)
}
