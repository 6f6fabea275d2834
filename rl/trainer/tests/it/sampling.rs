//! Draws: where numbers come from, and that tokens come as often as they should.

#![allow(clippy::disallowed_methods, reason = "probabilities to be met within a tolerance")]

use maquette_train::sampling::{Sampled, greedy, sample, uniform};
use maquette_train::token_set::TokenSet;

/// By the Python package `blake3` over `struct.pack("<4Q", …)` with the same context.
#[test]
fn numbers_are_those_of_another_implementation() {
    let most = u64::MAX;
    for (arguments, number) in [
        ([0, 0, 0, 0], 0.002597987283827985),
        ([1, 2, 3, 4], 0.11087345752919886),
        ([most, most, most, most], 0.48168743923665014),
        ([7, 0, 1 << 20, 33], 0.713183844613071),
    ] {
        let [seed, stream, episode, position] = arguments;
        assert_eq!(uniform(seed, stream, episode, position), number);
    }
}

#[test]
fn numbers_fill_their_range_evenly() {
    let draws = 100_000;
    let mut bins = [0_u32; 20];
    for position in 0..draws {
        let number = uniform(5, 0, 0, position);
        assert!((0.0..1.0).contains(&number));
        bins[(number * 20.0) as usize] += 1;
    }
    let expected = draws as f64 / 20.0;
    let chi_square: f64 = bins.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    assert!(chi_square < 64.0, "{chi_square} of 19 degrees of freedom");
}

#[test]
fn each_argument_changes_the_number() {
    let number = uniform(1, 2, 3, 4);
    for other in
        [uniform(2, 2, 3, 4), uniform(1, 3, 3, 4), uniform(1, 2, 4, 4), uniform(1, 2, 3, 5), uniform(4, 3, 2, 1)]
    {
        assert_ne!(number, other);
    }
}

fn logits() -> Vec<f32> {
    (0..40).map(|token| ((token * 7919) % 23) as f32 * 0.21 - 2.0).collect()
}

fn some() -> TokenSet {
    TokenSet::of(40, [0, 3, 4, 9, 17, 31, 32, 33, 38, 39])
}

/// ln of softmax(logits / temperature) over what is allowed, by its definition.
fn log_softmax(temperature: f64) -> Vec<(u32, f64)> {
    let logits = logits();
    let scaled = |token: u32| f64::from(logits[token as usize]) / temperature;
    let total: f64 = some().iter().map(|token| scaled(token).exp()).sum();
    some().iter().map(|token| (token, scaled(token) - total.ln())).collect()
}

#[test]
fn tokens_come_as_often_as_their_probabilities() {
    let (draws, temperature) = (100_000, 0.7);
    let mut counts = [0_u32; 40];
    for position in 0..draws {
        counts[sample(&logits(), &some(), temperature, uniform(11, 0, 0, position)).token as usize] += 1;
    }
    let chi_square: f64 = log_softmax(temperature)
        .into_iter()
        .map(|(token, log_prob)| {
            let expected = log_prob.exp() * draws as f64;
            (f64::from(counts[token as usize]) - expected).powi(2) / expected
        })
        .sum();
    assert!(chi_square < 45.0, "{chi_square} of 9 degrees of freedom");
    assert_eq!(some().iter().map(|token| counts[token as usize]).sum::<u32>(), draws as u32, "nothing else is drawn");
}

#[test]
fn log_prob_is_of_the_distribution_drawn_from() {
    for temperature in [0.1, 0.7, 1.0, 3.0] {
        let expected = log_softmax(temperature);
        for place in 0..1000 {
            let Sampled { token, log_prob } = sample(&logits(), &some(), temperature, f64::from(place) / 1000.0);
            let (_, right) = expected.iter().find(|(other, _)| *other == token).unwrap();
            assert!((log_prob - right).abs() < 1e-12, "{log_prob} {right}");
        }
    }
}

#[test]
fn the_inverse_cdf_goes_in_the_order_of_the_tokens() {
    let logits = [0.0; 6];
    let allowed = TokenSet::of(6, [1, 2, 4, 5]);
    let drawn = |uniform| sample(&logits, &allowed, 1.0, uniform).token;
    assert_eq!([0.0, 0.2, 0.25, 0.5, 0.74, 0.75, 0.999].map(drawn), [1, 1, 2, 4, 4, 5, 5]);
    assert_eq!([1.0, 7.0].map(drawn), [5, 5], "a number that is too large is the last");
    assert_eq!(sample(&logits, &allowed, 1.0, 0.3).log_prob, 0.25_f64.ln());
}

#[test]
fn large_logits_and_what_is_beyond_the_vocabulary_do_no_harm() {
    let mut logits = vec![0.0; 64];
    logits[3] = 3.0e38;
    logits[60] = f32::INFINITY;
    let allowed = TokenSet::of(40, [2, 3]);
    assert_eq!(sample(&logits, &allowed, 0.5, 0.999), Sampled { token: 3, log_prob: 0.0 });
    assert_eq!(greedy(&logits, &allowed), 3);
    assert_eq!(sample(&logits, &TokenSet::of(40, [2]), 0.5, 0.999), Sampled { token: 2, log_prob: 0.0 });
}

#[test]
fn greedy_takes_the_first_of_the_likeliest() {
    let logits = [9.0, 1.0, 5.0, 5.0, 4.0];
    assert_eq!(greedy(&logits, &TokenSet::of(5, [1, 2, 3, 4])), 2);
    assert_eq!(greedy(&logits, &TokenSet::of(5, [4])), 4);
}
