//! Rollouts, then gradients: what learns is what sampled.

use super::{Pipeline, PipelineError, Rolled, StepLine};
use std::time::Instant;

pub(super) fn advance(pipeline: &mut Pipeline) -> Result<StepLine, PipelineError> {
    let begun = Instant::now();
    let policy = pipeline.policy();
    let (requests, plan) = pipeline.plan(pipeline.step);
    let report = pipeline.engine.run(requests, policy)?;
    let rolled = Rolled { plan, report, version: policy.version };
    pipeline.record(&rolled);
    let Pipeline { config, sources, learner, engine, step, .. } = pipeline;
    let mut line = learner.learn(config, sources, *step, &rolled)?;
    engine.model().copy_from(learner.model());
    *step += 1;
    line.stage = pipeline.curriculum.as_ref().map(super::Curriculum::stage);
    line.told.step_secs = begun.elapsed().as_secs_f64();
    Ok(line)
}
