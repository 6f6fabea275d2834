//! Draws without hidden state: a number for each place in each episode, and a token for each number.

use crate::token_set::TokenSet;
use crate::tokens::Token;

/// Changing it changes what every seed gives.
const CONTEXT: &str = "maquette-train 2026 sampling.rs uniform v1";

/// In [0, 1), a function of its arguments alone: the highest 53 of the first 64 bits, little-endian, of BLAKE3 in key
/// derivation over the four as little-endian u64. `stream` keeps uses apart: 0 tokens, 1 first weights, from 2 on
/// [`crate::pipeline::draws`].
#[must_use]
pub fn uniform(seed: u64, stream: u64, episode: u64, position: u64) -> f64 {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    for part in [seed, stream, episode, position] {
        hasher.update(&part.to_le_bytes());
    }
    let hash = hasher.finalize();
    let bits = hash.as_bytes().iter().take(8).rev().fold(0_u64, |bits, &byte| (bits << 8) | u64::from(byte));
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    pub token: Token,
    /// Natural logarithm of its probability in the distribution that it was drawn from.
    pub log_prob: f64,
}

/// Draws from softmax(logits / temperature) over `allowed`, by inverse CDF in the order of the tokens: the first whose
/// cumulative probability is above `uniform`, else the last. `logits` are of the whole vocabulary (those beyond its tokens
/// do not matter), `temperature` is above 0; all is reckoned in f64.
///
/// # Panics
/// Where nothing is allowed: a `CallMatcher` allows something until it is finished.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "what is drawn is trained on and never scored")]
pub fn sample(logits: &[f32], allowed: &TokenSet, temperature: f64, uniform: f64) -> Sampled {
    let scaled = || logits_of(logits, allowed).map(move |(token, logit)| (token, f64::from(logit) / temperature));
    let most = scaled().map(|(_, logit)| logit).fold(f64::NEG_INFINITY, f64::max);
    let weighed: Vec<(Token, f64, f64)> =
        scaled().map(|(token, logit)| (token, logit - most, (logit - most).exp())).collect();
    let total: f64 = weighed.iter().map(|&(_, _, weight)| weight).sum();
    let mut below = 0.0;
    let drawn = weighed.iter().find(|&&(_, _, weight)| {
        below += weight;
        below > uniform * total
    });
    let &(token, shifted, _) = drawn.or(weighed.last()).expect("a token is allowed");
    Sampled { token, log_prob: shifted - total.ln() }
}

/// The likeliest of `allowed`; of equals the first.
///
/// # Panics
/// Where nothing is allowed.
#[must_use]
pub fn greedy(logits: &[f32], allowed: &TokenSet) -> Token {
    let likeliest = logits_of(logits, allowed).reduce(|best, next| if next.1 > best.1 { next } else { best });
    likeliest.expect("a token is allowed").0
}

fn logits_of(logits: &[f32], allowed: &TokenSet) -> impl Iterator<Item = (Token, f32)> {
    allowed.iter().filter_map(move |token| logits.get(token as usize).map(|&logit| (token, logit)))
}
