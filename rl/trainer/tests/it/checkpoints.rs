//! Checkpoints: what is written is read, and what does not fit is refused by its name.

use crate::small::{Draws, config, decoder, farthest, row};
use maquette_train::model::{Architecture, CausalLm, ModelConfig, ModelError};
use serde_json::{Value, json};
use std::path::Path;
use tch::{Device, Kind, Tensor};

const WEIGHTS: &str = "model.safetensors";

fn load(folder: &Path) -> Result<CausalLm, ModelError> {
    CausalLm::from_pretrained(folder, true, 0, Device::Cpu)
}

#[test]
fn what_is_saved_is_loaded_bit_by_bit() {
    let qwen2 = ModelConfig { architecture: Architecture::Qwen2, attention_bias: true, ..config() };
    let untied = ModelConfig { tie_word_embeddings: false, attention_bias: true, head_dim: 12, ..config() };
    for (config, kind) in [(config(), Kind::Float), (qwen2, Kind::Float), (untied, Kind::Double)] {
        let (model, folder) = (decoder(&config, 1, kind), tempfile::tempdir().unwrap());
        model.save_pretrained(&folder.path().join("new")).unwrap();
        let loaded = load(&folder.path().join("new")).unwrap();
        assert_eq!((loaded.config(), loaded.kind()), (&config, kind));
        assert!(loaded.parameters().keys().eq(model.parameters().keys()));
        for (name, parameter) in loaded.parameters() {
            assert!(parameter.requires_grad() && parameter.equal(&model.parameters()[name]), "{name}");
        }
        let ids = row(&Draws(0).tokens(12));
        assert_eq!(farthest(&loaded.hidden(&ids), &model.hidden(&ids)), 0.0);
    }
}

#[test]
fn shards_are_one_checkpoint() {
    let (model, folder) = (decoder(&config(), 1, Kind::Float), tempfile::tempdir().unwrap());
    let folder = folder.path();
    model.save_pretrained(folder).unwrap();
    let all = Tensor::read_safetensors(folder.join(WEIGHTS)).unwrap();
    std::fs::remove_file(folder.join(WEIGHTS)).unwrap();
    let mut map = serde_json::Map::new();
    for (number, shard) in all.chunks(7).enumerate() {
        let file = format!("model-{number}.safetensors");
        Tensor::write_safetensors(shard, folder.join(&file)).unwrap();
        map.extend(shard.iter().map(|(name, _)| (name.clone(), json!(file))));
    }
    let index = json!({ "metadata": {}, "weight_map": map });
    std::fs::write(folder.join("model.safetensors.index.json"), index.to_string()).unwrap();
    let loaded = load(folder).unwrap();
    assert!(loaded.parameters().iter().all(|(name, parameter)| parameter.equal(&model.parameters()[name])));
}

#[test]
fn a_checkpoint_that_does_not_fit_is_refused() {
    let (model, folder) = (decoder(&config(), 1, Kind::Float), tempfile::tempdir().unwrap());
    let folder = folder.path();
    model.save_pretrained(folder).unwrap();
    let whole = Tensor::read_safetensors(folder.join(WEIGHTS)).unwrap();
    let with = |name: &str, tensor: Option<Tensor>| {
        let kept = whole.iter().filter(|(other, _)| other != name).map(|(other, kept)| (other.clone(), kept.copy()));
        let changed: Vec<_> = kept.chain(tensor.map(|tensor| (name.to_owned(), tensor))).collect();
        Tensor::write_safetensors(&changed, folder.join(WEIGHTS)).unwrap();
        load(folder).err().map(|error| error.to_string())
    };
    let flat = || Some(Tensor::zeros([3], tch::kind::FLOAT_CPU));
    assert_eq!(with("model.norm.weight", None).unwrap(), "the checkpoint has no parameter model.norm.weight");
    assert_eq!(with("model.norm.weight", flat()).unwrap(), "parameter model.norm.weight is [3], config.json says [32]");
    assert_eq!(
        with("model.layers.2.mlp.up_proj.weight", flat()).unwrap(),
        "the checkpoint has a parameter model.layers.2.mlp.up_proj.weight that this architecture does not know"
    );
    // A missing value head is a new one; a tied head and computed tables are passed over.
    for (name, tensor) in [("value_head.weight", None), ("lm_head.weight", flat()), ("x.rotary_emb.inv_freq", flat())] {
        assert_eq!(with(name, tensor), None, "{name}");
    }
    std::fs::remove_file(folder.join(WEIGHTS)).unwrap();
    assert!(matches!(load(folder), Err(ModelError::Torch(_))));
    std::fs::write(folder.join("config.json"), "{").unwrap();
    assert!(matches!(load(folder), Err(ModelError::Json { .. })));
    std::fs::remove_file(folder.join("config.json")).unwrap();
    assert!(matches!(load(folder), Err(ModelError::Io { .. })));
}

#[test]
fn configurations_are_read_and_refused_by_name() {
    let fits = config().to_hf();
    assert_eq!(ModelConfig::from_hf(&fits).unwrap(), config());
    let changed = |field: &str, value: Value| {
        let mut config = fits.clone();
        config[field] = value;
        ModelConfig::from_hf(&config)
    };
    // As transformers 4 writes it.
    assert_eq!(changed("rope_parameters", Value::Null).unwrap(), config());
    assert_eq!(changed("head_dim", Value::Null).unwrap().head_dim, 8);
    assert_eq!(changed("num_key_value_heads", Value::Null).unwrap().num_key_value_heads, 4);
    assert_eq!(changed("rope_parameters", json!({ "rope_theta": 5e5 })).unwrap().rope_theta, 5e5);
    for (field, value) in [
        ("model_type", json!("gpt2")),
        ("hidden_act", json!("gelu")),
        ("rope_scaling", json!({ "rope_type": "llama3", "factor": 8.0 })),
        ("rope_scaling", json!({ "type": "linear", "factor": 2.0 })),
        ("rope_parameters", json!({ "rope_type": "yarn", "rope_theta": 1e4 })),
        ("rope_parameters", json!({ "partial_rotary_factor": 0.5 })),
        ("use_sliding_window", json!(true)),
        ("layer_types", json!(["full_attention", "sliding_attention"])),
        ("mlp_bias", json!(true)),
        ("quantization_config", json!({ "bits": 4 })),
        ("num_attention_heads", json!(5)),
        ("head_dim", json!(7)),
        ("num_hidden_layers", json!(0)),
        ("num_key_value_heads", json!(0)),
        ("rms_norm_eps", json!(0.0)),
    ] {
        let told = changed(field, value.clone()).unwrap_err().to_string();
        assert!(told.starts_with(field), "{field} = {value}: {told}");
    }
    assert!(matches!(changed("vocab_size", json!("many")), Err(ModelError::MissingField { field: "vocab_size" })));
}
