//! Numbers to test with, the same at every run, and how far apart two lists of them are.

use tch::Tensor;

/// `count` numbers, uniform in [−1, 1) (SplitMix64).
pub(crate) fn numbers(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 * (2.0 / (1_u64 << 53) as f64) - 1.0
    };
    (0..count).map(|_| next()).collect()
}

pub(crate) fn list(tensor: &Tensor) -> Vec<f64> {
    Vec::<f64>::try_from(tensor.detach().flatten(0, -1)).unwrap()
}

/// Every entry within `tolerance` of the truth.
#[track_caller]
pub(crate) fn assert_near(ours: &[f64], truth: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), truth.len());
    let near = ours.iter().zip(truth).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(near, "ours {ours:?}, truth {truth:?}");
}

/// Every entry within `tolerance` of the truth, relative to the truth's largest.
#[track_caller]
pub(crate) fn assert_near_relative(ours: &[f64], truth: &[f64], tolerance: f64) {
    let largest = truth.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    assert!(largest > 1e-9, "nothing to compare with: {truth:?}");
    assert_near(ours, truth, tolerance * largest);
}
