//! Which graphics card draws. A real one where there is one, else lavapipe; never silently another than was named.

use crate::RenderError;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdapterKind {
    Gpu,
    /// Draws on the processor: lavapipe.
    Software,
}

/// As the driver names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterInfo {
    pub name: String,
    pub kind: AdapterKind,
    /// `Vulkan`, `Metal` or `Dx12`.
    pub backend: String,
    pub driver: String,
    /// The driver's version, in the driver's words.
    pub driver_info: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// The first real graphics card (discrete before integrated before virtual), else software.
    #[default]
    Auto,
    /// A part of an adapter's name, in any case; the best of several as by `Auto`.
    Named(String),
}

/// The instance that the adapter belongs to comes along for those who make a device of their own.
#[derive(Debug, Clone)]
pub struct Chosen {
    pub instance: wgpu::Instance,
    pub adapter: wgpu::Adapter,
    pub info: AdapterInfo,
}

/// All there are, in wgpu's order.
#[must_use]
pub fn adapters() -> Vec<AdapterInfo> {
    let (_, adapters) = found();
    adapters.iter().map(|adapter| AdapterInfo::of(adapter.get_info())).collect()
}

/// # Errors
/// `NoAdapter` where the machine has none, or none of that name.
pub fn choose(choice: &AdapterChoice) -> Result<Chosen, RenderError> {
    let (instance, adapters) = found();
    let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    let best = adapters
        .into_iter()
        .filter(|adapter| choice.takes(&adapter.get_info().name))
        .min_by_key(|adapter| rank(adapter.get_info().device_type));
    let Some(adapter) = best else {
        return Err(RenderError::NoAdapter { asked: choice.clone(), found: names });
    };
    let info = AdapterInfo::of(adapter.get_info());
    Ok(Chosen { instance, adapter, info })
}

fn found() -> (wgpu::Instance, Vec<wgpu::Adapter>) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    (instance, adapters)
}

fn rank(device_type: wgpu::DeviceType) -> u8 {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

impl AdapterInfo {
    fn of(info: wgpu::AdapterInfo) -> Self {
        let kind = match info.device_type {
            wgpu::DeviceType::Cpu => AdapterKind::Software,
            _ => AdapterKind::Gpu,
        };
        let backend = format!("{:?}", info.backend);
        Self { name: info.name, kind, backend, driver: info.driver, driver_info: info.driver_info }
    }
}

/// `llvmpipe (LLVM 15.0.6, 256 bits), Vulkan, Mesa 22.3.6 (LLVM 15.0.6), software`
impl fmt::Display for AdapterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.name, self.backend)?;
        if let Some(driver) = [&self.driver_info, &self.driver].into_iter().find(|text| !text.is_empty()) {
            write!(f, ", {driver}")?;
        }
        f.write_str(match self.kind {
            AdapterKind::Gpu => ", GPU",
            AdapterKind::Software => ", software",
        })
    }
}

impl AdapterChoice {
    fn takes(&self, name: &str) -> bool {
        match self {
            Self::Auto => true,
            Self::Named(part) => name.to_lowercase().contains(&part.to_lowercase()),
        }
    }
}

/// `auto`, an empty text or a part of a name.
impl FromStr for AdapterChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        let auto = text.is_empty() || text.eq_ignore_ascii_case("auto");
        Ok(if auto { Self::Auto } else { Self::Named(text.to_owned()) })
    }
}

impl fmt::Display for AdapterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Named(part) => part.as_str(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written() {
        for (text, choice) in [("auto", AdapterChoice::Auto), ("Auto ", AdapterChoice::Auto), ("", AdapterChoice::Auto)]
        {
            assert_eq!(text.parse::<AdapterChoice>(), Ok(choice));
        }
        let named = AdapterChoice::Named("LLVMpipe".to_owned());
        assert_eq!("LLVMpipe".parse::<AdapterChoice>(), Ok(named.clone()));
        assert_eq!(named.to_string().parse::<AdapterChoice>(), Ok(named.clone()));
        assert!(named.takes("llvmpipe (LLVM 15.0.6, 256 bits)"));
        assert!(!named.takes("NVIDIA H200"));
    }

    #[test]
    fn info_is_one_line() {
        let info = AdapterInfo {
            name: "llvmpipe (LLVM 15.0.6, 256 bits)".to_owned(),
            kind: AdapterKind::Software,
            backend: "Vulkan".to_owned(),
            driver: "llvmpipe".to_owned(),
            driver_info: "Mesa 22.3.6 (LLVM 15.0.6)".to_owned(),
        };
        let line = "llvmpipe (LLVM 15.0.6, 256 bits), Vulkan, Mesa 22.3.6 (LLVM 15.0.6), software";
        assert_eq!(info.to_string(), line);
    }

    #[test]
    fn a_name_that_no_adapter_has_is_an_error_that_says_what_there_is() {
        let asked = AdapterChoice::Named("no such card".to_owned());
        let error = choose(&asked).unwrap_err();
        let names: Vec<String> = adapters().into_iter().map(|info| info.name).collect();
        let hint = if names.is_empty() { "mesa-vulkan-drivers" } else { "or auto" };
        assert!(error.to_string().contains(hint), "{error}");
        assert_eq!(error, RenderError::NoAdapter { asked, found: names });
    }
}
