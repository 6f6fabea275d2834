//! AdamW against PyTorch's numbers, and its state through a file.

use maquette_train::optimizer::{AdamW, AdamWConfig, OptimizerError, clip_grad_norm, zero_grad};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use tch::{Kind, Tensor};

type Parameters = BTreeMap<String, Tensor>;

/// A matrix [2, 3], which decays, and a vector [3], which does not.
#[derive(Deserialize)]
struct Values {
    matrix: Vec<f64>,
    vector: Vec<f64>,
}

impl Values {
    fn tensors(&self) -> [(&'static str, Tensor); 2] {
        [("matrix", Tensor::from_slice(&self.matrix).view([2, 3])), ("vector", Tensor::from_slice(&self.vector))]
    }

    fn parameters(&self) -> Parameters {
        self.tensors().map(|(name, tensor)| (name.to_owned(), tensor.set_requires_grad(true))).into()
    }

    /// Becomes the gradient of `parameters`.
    fn become_gradients_of(&self, parameters: &Parameters) {
        zero_grad(parameters);
        for (name, gradient) in self.tensors() {
            (&parameters[name] * gradient).sum(Kind::Double).backward();
        }
    }
}

#[derive(Deserialize)]
struct Reference {
    learning_rate: f64,
    config: AdamWConfig,
    start: Values,
    gradients: Vec<Values>,
    after: Vec<Values>,
}

fn reference() -> Reference {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/train/adamw.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn simple() -> Values {
    Values { matrix: vec![1.0, -2.0, 3.0, -4.0, 5.0, -6.0], vector: vec![0.5, -0.5, 0.25] }
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    Vec::try_from(tensor.detach().reshape([-1])).unwrap()
}

#[test]
fn ten_steps_are_those_of_pytorch() {
    let reference = reference();
    let (parameters, mut optimizer) = (reference.start.parameters(), AdamW::new(reference.config));
    assert_eq!((reference.gradients.len(), reference.after.len()), (10, 10));
    for (gradients, after) in reference.gradients.iter().zip(&reference.after) {
        gradients.become_gradients_of(&parameters);
        optimizer.step(&parameters, reference.learning_rate);
        for (name, expected) in after.tensors() {
            for (ours, theirs) in numbers(&parameters[name]).into_iter().zip(numbers(&expected)) {
                assert!((ours - theirs).abs() <= 1e-13, "step {}, {name}: {ours} {theirs}", optimizer.steps());
            }
        }
    }
}

/// The first step of Adam has the length of the learning rate, whatever the gradient; decay takes its share before it.
#[test]
fn the_first_step_is_known_by_hand() {
    let parameters = simple().parameters();
    let gradients = Values { matrix: vec![1e-3, -1.0, 1e3, -7.0, 2.0, 0.0], vector: vec![3.0, -3.0, 0.0] };
    gradients.become_gradients_of(&parameters);
    let mut optimizer = AdamW::new(AdamWConfig { weight_decay: 0.5, eps: 1e-12, ..AdamWConfig::default() });
    optimizer.step(&parameters, 0.1);
    let known = [
        ("matrix", vec![0.95 - 0.1, -1.9 + 0.1, 2.85 - 0.1, -3.8 + 0.1, 4.75 - 0.1, -5.7]),
        ("vector", vec![0.5 - 0.1, -0.5 + 0.1, 0.25]),
    ];
    for (name, known) in known {
        for (ours, known) in numbers(&parameters[name]).into_iter().zip(known) {
            assert!((ours - known).abs() < 1e-8, "{name}: {ours} {known}");
        }
    }
}

#[test]
fn a_saved_state_goes_on_bit_by_bit() {
    let step = |optimizer: &mut AdamW, parameters: &Parameters, number: usize| {
        let gradient = |place: usize| ((place * 7 + number * 5) % 11) as f64 / 3.0 - 1.7;
        let gradients = Values { matrix: (0..6).map(gradient).collect(), vector: (6..9).map(gradient).collect() };
        gradients.become_gradients_of(parameters);
        optimizer.step(parameters, 0.01);
    };
    let (parameters, mut optimizer) = (simple().parameters(), AdamW::new(AdamWConfig::default()));
    for number in 0..5 {
        step(&mut optimizer, &parameters, number);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("optimizer.safetensors");
    let state: Vec<(String, Tensor)> = optimizer.state().into_iter().collect();
    Tensor::write_safetensors(&state, &file).unwrap();
    let copies: Parameters = parameters
        .iter()
        .map(|(name, parameter)| (name.clone(), parameter.detach().copy().set_requires_grad(true)))
        .collect();
    let mut resumed = AdamW::new(AdamWConfig::default());
    let state = Tensor::read_safetensors(&file).unwrap().into_iter().collect();
    resumed.restore(state, &copies).unwrap();
    assert_eq!(resumed.steps(), 5);
    for number in 5..10 {
        step(&mut optimizer, &parameters, number);
        step(&mut resumed, &copies, number);
    }
    for (name, parameter) in &parameters {
        assert!(parameter.equal(&copies[name]), "{name}");
    }
}

#[test]
fn a_state_of_other_parameters_is_refused() {
    let (parameters, mut optimizer) = (simple().parameters(), AdamW::new(AdamWConfig::default()));
    simple().become_gradients_of(&parameters);
    optimizer.step(&parameters, 0.1);
    let changed = |change: &dyn Fn(&mut Parameters)| {
        let (mut state, mut fresh) = (optimizer.state(), AdamW::new(AdamWConfig::default()));
        change(&mut state);
        let refused = fresh.restore(state, &parameters).unwrap_err();
        assert_eq!(fresh.steps(), 0);
        refused
    };
    let scalar = || Tensor::from_slice(&[0.0]);
    let missing = changed(&|state| drop(state.remove("v.matrix")));
    assert!(matches!(&missing, OptimizerError::Missing { name } if name == "v.matrix"), "{missing}");
    let stepless = changed(&|state| drop(state.remove("steps")));
    assert!(matches!(&stepless, OptimizerError::Missing { name } if name == "steps"), "{stepless}");
    let unknown = changed(&|state| drop(state.insert("m.other".to_owned(), scalar())));
    assert!(matches!(&unknown, OptimizerError::Unknown { name } if name == "m.other"), "{unknown}");
    let shape = changed(&|state| drop(state.insert("m.vector".to_owned(), scalar())));
    assert!(matches!(&shape, OptimizerError::WrongShape { given, .. } if given == &[1]), "{shape}");
}

#[test]
fn parameters_without_a_gradient_are_left_alone() {
    let (parameters, mut optimizer) = (simple().parameters(), AdamW::new(AdamWConfig::default()));
    (&parameters["vector"] * 2.0).sum(Kind::Double).backward();
    optimizer.step(&parameters, 0.1);
    assert_eq!(numbers(&parameters["matrix"]), simple().matrix);
    assert!(optimizer.state().keys().eq(["m.vector", "steps", "v.vector"]));
    assert_eq!(clip_grad_norm(&simple().parameters(), 1.0), 0.0, "no gradient has the norm 0");
}

#[test]
fn norms_are_clipped_together() {
    let parameters = simple().parameters();
    let gradients = Values { matrix: vec![0.0, 3.0, 0.0, 0.0, 0.0, 0.0], vector: vec![0.0, 0.0, 4.0] };
    gradients.become_gradients_of(&parameters);
    assert!((clip_grad_norm(&parameters, 6.0) - 5.0).abs() < 1e-12);
    assert_eq!(numbers(&parameters["vector"].grad()), [0.0, 0.0, 4.0], "a norm below the bound changes nothing");
    assert!((clip_grad_norm(&parameters, 1.0) - 5.0).abs() < 1e-12);
    assert!((clip_grad_norm(&parameters, 1.0) - 1.0).abs() < 1e-12);
    assert!((numbers(&parameters["matrix"].grad())[1] - 0.6).abs() < 1e-12);
    zero_grad(&parameters);
    assert_eq!(clip_grad_norm(&parameters, 1.0), 0.0);
}

#[test]
fn a_norm_that_is_not_finite_leaves_no_gradient() {
    for wrong in [f64::NAN, f64::INFINITY] {
        let parameters = simple().parameters();
        let gradients = Values { matrix: vec![1.0, wrong, 1.0, 1.0, 1.0, 1.0], vector: vec![1.0; 3] };
        gradients.become_gradients_of(&parameters);
        assert!(!clip_grad_norm(&parameters, 1.0).is_finite());
        assert_eq!(numbers(&parameters["matrix"].grad()), [0.0; 6]);
        assert_eq!(numbers(&parameters["vector"].grad()), [0.0; 3]);
    }
}
