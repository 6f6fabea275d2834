//! The distribution that was sampled from: softmax at a temperature over the tokens that were allowed.

use tch::Tensor;

/// log π of each token of `tokens`: `[n]`.
///
/// `logits [n, vocab]`, `allowed [n, vocab]` Bool with a true entry in each row, `temperature` > 0, `tokens [n]` Int64.
/// −∞ for a token that is not allowed. Logits that are not allowed have the gradient 0.
pub fn masked_log_probs(logits: &Tensor, allowed: &Tensor, temperature: f64, tokens: &Tensor) -> Tensor {
    let log_probs = masked_log_softmax(logits, allowed, temperature);
    log_probs.gather(-1, &tokens.unsqueeze(-1), false).squeeze_dim(-1)
}

/// Entropy in nats of the same distributions: `[n]`. 0 where one token is allowed.
pub fn masked_entropy(logits: &Tensor, allowed: &Tensor, temperature: f64) -> Tensor {
    let log_probs = masked_log_softmax(logits, allowed, temperature);
    // p·log p is 0 where p is, but 0·(−∞) is not.
    let finite = log_probs.masked_fill(&allowed.logical_not(), 0.0);
    -(log_probs.exp() * finite).sum_dim_intlist(-1_i64, false, logits.kind())
}

fn masked_log_softmax(logits: &Tensor, allowed: &Tensor, temperature: f64) -> Tensor {
    let at_temperature = logits / temperature;
    at_temperature.masked_fill(&allowed.logical_not(), f64::NEG_INFINITY).log_softmax(-1, logits.kind())
}
