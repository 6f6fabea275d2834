//! One update of a policy: from trajectories and their advantages to new weights.

mod batch;
mod demonstration;
mod sft;
mod step;

pub use batch::{BatchError, MicroBatch, Sample, micro_batches};
pub use demonstration::{DemonstrationError, Origin, Solution, SolutionCall, demonstration};
pub use sft::{SftConfig, SftMetrics, sft_step};
pub use step::{Reference, StepConfig, StepError, StepMetrics, policy_step};
