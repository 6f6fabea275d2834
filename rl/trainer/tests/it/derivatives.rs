//! Gradients by autograd, and by differences to hold them against.

use tch::Tensor;

use crate::numbers::list;

/// In the unit of the argument. In f64 both errors of a central difference, h² and 1e-16/h, are below 1e-10.
const STEP: f64 = 1e-5;

/// Of a loss that is one number.
pub(crate) fn gradient(at: &Tensor, loss: impl Fn(&Tensor) -> Tensor) -> Vec<f64> {
    let leaf = at.detach().copy().set_requires_grad(true);
    loss(&leaf).backward();
    list(&leaf.grad())
}

pub(crate) fn central_differences(at: &Tensor, loss: impl Fn(&Tensor) -> Tensor) -> Vec<f64> {
    let entries = list(at);
    let moved = |place: usize, by: f64| {
        let mut entries = entries.clone();
        entries[place] += by;
        loss(&Tensor::from_slice(&entries).reshape(at.size())).double_value(&[])
    };
    (0..entries.len()).map(|place| (moved(place, STEP) - moved(place, -STEP)) / (2.0 * STEP)).collect()
}
