//! trainer

pub mod advantage;
pub mod loss;
pub mod model;
pub mod optimizer;
pub mod schedule;
pub mod rollout;
pub mod trajectory;
