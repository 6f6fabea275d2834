//! trainer

pub mod advantage;
pub mod loss;
