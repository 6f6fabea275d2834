//! The same numbers as transformers and PyTorch; the files are made by `tests/fixtures/make.py`.

use crate::small::farthest;
use maquette_train::model::CausalLm;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tch::{Device, Tensor};

fn checkpoints() -> [PathBuf; 3] {
    ["tiny-llama", "tiny-llama-biased", "tiny-qwen2"]
        .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/train").join(name))
}

fn open(folder: &Path) -> (CausalLm, BTreeMap<String, Tensor>) {
    let reference = Tensor::read_safetensors(folder.join("reference.safetensors")).unwrap().into_iter().collect();
    (CausalLm::from_pretrained(folder, false, 0, Device::Cpu).unwrap(), reference)
}

#[test]
fn logits_are_those_of_transformers() {
    for folder in checkpoints() {
        let (model, reference) = open(&folder);
        for prompt in ["first", "second"] {
            let logits = model.logits(&model.hidden(&reference[&format!("ids.{prompt}")]));
            let expected = &reference[&format!("logits.{prompt}")];
            assert!(expected.abs().max().double_value(&[]) > 0.5, "logits near 0 prove nothing");
            let distance = farthest(&logits, expected);
            assert!(distance <= 1e-5, "{}, {prompt}: {distance}", folder.display());
        }
    }
}

#[test]
fn gradients_are_those_of_transformers() {
    for folder in checkpoints() {
        let (model, reference) = open(&folder);
        let ids = &reference["ids.second"];
        let tokens = ids.size()[1];
        let logits = model.logits(&model.hidden(&ids.narrow(1, 0, tokens - 1)));
        let loss = logits.squeeze_dim(0).cross_entropy_for_logits(&ids.narrow(1, 1, tokens - 1).squeeze_dim(0));
        assert!((loss.double_value(&[]) - reference["loss.second"].double_value(&[0])).abs() <= 1e-5);
        loss.backward();
        let mut compared = 0;
        for (name, parameter) in model.parameters() {
            if let Some(expected) = reference.get(&format!("gradient.{name}")) {
                let distance = farthest(&parameter.grad(), expected);
                assert!(distance <= 1e-5, "{}, {name}: {distance}", folder.display());
                compared += 1;
            }
        }
        assert_eq!(compared, 3, "{}", folder.display());
    }
}

/// What we write, transformers would read: the names and values of its own file, and its fields.
#[test]
fn a_checkpoint_goes_through_us_unchanged() {
    for folder in checkpoints() {
        let (model, out) = (open(&folder).0, tempfile::tempdir().unwrap());
        model.save_pretrained(out.path()).unwrap();
        let read = |folder: &Path| -> BTreeMap<String, Tensor> {
            Tensor::read_safetensors(folder.join("model.safetensors")).unwrap().into_iter().collect()
        };
        let (theirs, ours) = (read(&folder), read(out.path()));
        assert!(theirs.keys().eq(ours.keys()), "{}", folder.display());
        assert!(theirs.iter().all(|(name, tensor)| tensor.equal(&ours[name])), "{}", folder.display());
        let again = CausalLm::from_pretrained(out.path(), false, 0, Device::Cpu).unwrap();
        assert_eq!(again.config(), model.config());
    }
}
