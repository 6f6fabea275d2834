//! The loss of the value head.

use tch::Tensor;

/// ½(V − R)², with `clip` ½·max((V − R)², (V_c − R)²) where V_c is V held within `clip` of `old`. All `[n]`.
pub fn value_loss(values: &Tensor, old: &Tensor, returns: &Tensor, clip: Option<f64>) -> Tensor {
    let returns = returns.detach();
    let squared = (values - &returns).square();
    let Some(clip) = clip else {
        return squared / 2.0;
    };
    let old = old.detach();
    let held = &old + (values - &old).clamp(-clip, clip);
    squared.maximum(&(held - returns).square()) / 2.0
}
