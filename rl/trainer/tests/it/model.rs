//! What the decoder must be whatever its weights.

use crate::small::{Draws, config, decoder, farthest, row};
use maquette_train::model::{CausalLm, ModelConfig};
use tch::{Device, Kind, Tensor};

fn new(seed: u64) -> CausalLm {
    CausalLm::new(&config(), true, seed, Device::Cpu, Kind::Float).unwrap()
}

#[test]
fn first_weights_are_a_function_of_the_seed() {
    let (one, same, other) = (new(1), new(1), new(2));
    for (name, parameter) in one.parameters() {
        assert!(parameter.requires_grad(), "{name}");
        assert!(parameter.equal(&same.parameters()[name]), "{name}");
        let by_seed = parameter.dim() > 1 && name != "value_head.weight";
        assert_eq!(parameter.equal(&other.parameters()[name]), !by_seed, "{name}");
    }
    for (name, summands) in [
        ("model.embed_tokens.weight", 1.0),
        ("model.layers.0.mlp.up_proj.weight", 1.0),
        ("model.layers.1.mlp.down_proj.weight", 4.0),
    ] {
        let parameter = &one.parameters()[name];
        let columns = parameter.size()[1] as f64;
        let share = parameter.std(false).double_value(&[]) * (columns * summands).sqrt();
        assert!((share - 1.0).abs() < 0.1, "{name}: {share}");
        let mean = parameter.mean(Kind::Float).double_value(&[]) * (columns * summands).sqrt();
        assert!(mean.abs() < 0.1, "{name}: {mean}");
    }
}

#[test]
fn the_value_head_changes_no_other_weight_and_starts_at_zero() {
    let with = new(1);
    let without = CausalLm::new(&config(), false, 1, Device::Cpu, Kind::Float).unwrap();
    assert_eq!(with.parameters().len(), without.parameters().len() + 1);
    assert!(without.parameters().iter().all(|(name, parameter)| parameter.equal(&with.parameters()[name])));
    let hidden = with.hidden(&row(&[3, 1, 4]));
    assert_eq!(hidden.size(), [1, 3, 32]);
    assert_eq!(with.logits(&hidden).size(), [1, 3, 50]);
    assert_eq!(farthest(&with.values(&hidden).unwrap(), &Tensor::zeros([1, 3], tch::kind::FLOAT_CPU)), 0.0);
    assert!(without.values(&hidden).is_none());
}

#[test]
fn padding_on_the_right_changes_nothing() {
    let (model, mut draws) = (decoder(&config(), 3, Kind::Float), Draws(0));
    let (long, short) = (draws.tokens(40), draws.tokens(23));
    let padded = [short.clone(), draws.tokens(17)].concat();
    let both = model.hidden(&Tensor::from_slice(&[long.clone(), padded].concat()).view([2, 40]));
    assert!(farthest(&both.narrow(0, 0, 1), &model.hidden(&row(&long))) < 1e-5);
    assert!(farthest(&both.narrow(0, 1, 1).narrow(1, 0, 23), &model.hidden(&row(&short))) < 1e-5);
}

/// A model with as many key heads as query heads, equal in each group, is the grouped one.
#[test]
fn grouped_queries_are_repeated_keys() {
    let grouped = decoder(&config(), 4, Kind::Float);
    let whole = decoder(&ModelConfig { num_key_value_heads: 4, ..config() }, 4, Kind::Float);
    {
        let _guard = tch::no_grad_guard();
        for (name, parameter) in whole.parameters() {
            let mut source = grouped.parameters()[name].shallow_clone();
            if source.size() != parameter.size() {
                source = source.view([2, 8, 32]).repeat_interleave_self_int(2, 0_i64, None).reshape([32, 32]);
            }
            parameter.shallow_clone().copy_(&source);
        }
    }
    let ids = row(&Draws(7).tokens(30));
    assert!(farthest(&grouped.hidden(&ids), &whole.hidden(&ids)) < 1e-5);
}

#[test]
fn weights_are_taken_over() {
    let (from, to) = (decoder(&config(), 1, Kind::Float), new(2));
    let ids = row(&Draws(0).tokens(12));
    assert!(farthest(&from.hidden(&ids), &to.hidden(&ids)) > 0.01);
    to.copy_from(&from);
    assert_eq!(farthest(&from.hidden(&ids), &to.hidden(&ids)), 0.0);
    assert!(to.parameters().values().all(Tensor::requires_grad));
}

/// In double precision, of the sum of a cross-entropy and of the values, through both heads.
#[test]
fn gradients_are_central_differences() {
    const STEP: f64 = 1e-5;
    let (model, mut draws) = (decoder(&config(), 5, Kind::Double), Draws(0));
    let (ids, targets) = (row(&draws.tokens(9)), Tensor::from_slice(&draws.tokens(9)));
    let loss = || {
        let hidden = model.hidden(&ids);
        let log_probs = model.logits(&hidden).log_softmax(-1, Kind::Double).squeeze_dim(0);
        let chosen = log_probs.gather(-1, &targets.unsqueeze(-1), false).sum(Kind::Double);
        model.values(&hidden).unwrap().square().sum(Kind::Double) - chosen
    };
    loss().backward();
    for (name, parameter) in model.parameters() {
        let (gradient, flat) = (parameter.grad().view([-1]), parameter.detach().view([-1]));
        for _ in 0..3 {
            let place = draws.below(parameter.numel()) as i64;
            let at = |offset: f64| {
                let _guard = tch::no_grad_guard();
                let _ = flat.narrow(0, place, 1).g_add_scalar_(offset);
                let value = loss().double_value(&[]);
                let _ = flat.narrow(0, place, 1).g_add_scalar_(-offset);
                value
            };
            let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
            let exact = gradient.double_value(&[place]);
            assert!((exact - difference).abs() < 1e-6 * exact.abs().max(1.0), "{name}[{place}]: {exact} {difference}");
        }
    }
}
