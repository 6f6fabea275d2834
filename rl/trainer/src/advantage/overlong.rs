//! What a sequence loses by coming near its longest.

/// 0 up to `most − margin` tokens, then falling straight to −1 at `most`, and −1 beyond (DAPO, arXiv 2503.14476).
/// Added to the reward.
pub fn soft_overlong_penalty(tokens: usize, most: usize, margin: usize) -> f64 {
    if tokens > most {
        return -1.0;
    }
    match tokens.saturating_sub(most.saturating_sub(margin)) {
        0 => 0.0,
        over => -(over as f64) / margin as f64,
    }
}
