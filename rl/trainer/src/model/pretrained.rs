//! Checkpoints in HuggingFace's layout: config.json and model.safetensors, or shards with an index.

use super::parameters::{HEAD, VALUE_HEAD, leaf, shapes};
use super::{CausalLm, ModelConfig, ModelError, init};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tch::{Device, Kind, Tensor};

const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";

impl CausalLm {
    /// Every parameter must be there in its shape, and no other. Weights become Float; a file of Double stays so.
    /// A value head that the file has not is a new one.
    pub fn from_pretrained(folder: &Path, value_head: bool, seed: u64, device: Device) -> Result<Self, ModelError> {
        let config = ModelConfig::from_hf(&json(&folder.join(CONFIG))?)?;
        let mut found = BTreeMap::new();
        for file in weight_files(folder)? {
            found.extend(Tensor::read_safetensors(file)?);
        }
        let double = found.values().any(|tensor| tensor.kind() == Kind::Double);
        let kind = if double { Kind::Double } else { Kind::Float };
        let mut parameters = BTreeMap::new();
        for (name, expected) in shapes(&config, value_head) {
            let tensor = match found.remove(&name) {
                Some(tensor) if tensor.size() == expected => tensor,
                Some(tensor) => return Err(ModelError::WrongShape { name, given: tensor.size(), expected }),
                None if name == VALUE_HEAD => init::initial(&config, &name, &expected, seed),
                None => return Err(ModelError::MissingParameter { name }),
            };
            parameters.insert(name, leaf(&tensor, device, kind)?);
        }
        // Older exports keep a tied head and tables that are computed here.
        let known = |name: &str| name == HEAD || name == VALUE_HEAD || name.ends_with("rotary_emb.inv_freq");
        match found.into_keys().find(|name| !known(name)) {
            Some(name) => Err(ModelError::UnknownParameter { name }),
            None => Ok(Self::of(config, parameters)),
        }
    }

    /// Writes config.json and model.safetensors into `folder`, which is made where it is missing.
    pub fn save_pretrained(&self, folder: &Path) -> Result<(), ModelError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| ModelError::Io { path, source }
        };
        std::fs::create_dir_all(folder).map_err(io(folder))?;
        let config = folder.join(CONFIG);
        std::fs::write(&config, format!("{:#}\n", self.config().to_hf())).map_err(io(&config))?;
        let tensors: Vec<(&String, Tensor)> = self
            .parameters()
            .iter()
            .map(|(name, parameter)| (name, parameter.detach().to_device(Device::Cpu).contiguous()))
            .collect();
        Ok(Tensor::write_safetensors(&tensors, folder.join(WEIGHTS))?)
    }
}

fn json(path: &Path) -> Result<Value, ModelError> {
    let text = std::fs::read(path).map_err(|source| ModelError::Io { path: path.to_owned(), source })?;
    serde_json::from_slice(&text).map_err(|source| ModelError::Json { path: path.to_owned(), source })
}

fn weight_files(folder: &Path) -> Result<Vec<PathBuf>, ModelError> {
    let index = folder.join(INDEX);
    if !index.is_file() {
        return Ok(vec![folder.join(WEIGHTS)]);
    }
    let index = json(&index)?;
    let map = index["weight_map"].as_object().ok_or(ModelError::MissingField { field: "weight_map" })?;
    let names: BTreeSet<&str> = map.values().filter_map(Value::as_str).collect();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}
