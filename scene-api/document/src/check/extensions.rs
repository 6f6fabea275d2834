//! Checks on the factors of material extensions: the ranges that their specifications say, and an end where they say
//! none.

use super::{Checked, number, unit, up_to_million, within_million};
use crate::MaterialExtensions;

pub(super) fn extensions(extensions: &MaterialExtensions) -> Checked {
    if let Some(anisotropy) = extensions.anisotropy {
        unit("extensions/anisotropy", anisotropy.strength)?;
        within_million("extensions/anisotropy_rotation_rad", anisotropy.rotation_rad)?;
    }
    if let Some(clearcoat) = extensions.clearcoat {
        unit("extensions/clearcoat", clearcoat.factor)?;
        unit("extensions/clearcoat_roughness", clearcoat.roughness)?;
    }
    if let Some(dispersion) = extensions.dispersion {
        up_to_million("extensions/dispersion", dispersion.factor)?;
    }
    if let Some(found) = extensions.ior {
        number("extensions/ior", found.ior, "0, or 1 to 1e6", |ior| ior == 0.0 || (1.0..=1e6).contains(&ior))?;
    }
    if let Some(film) = extensions.iridescence {
        unit("extensions/iridescence", film.factor)?;
        number("extensions/iridescence_ior", film.ior, "1 to 1e6", |ior| (1.0..=1e6).contains(&ior))?;
        for thickness_nm in [film.thickness_min_nm, film.thickness_max_nm] {
            up_to_million("extensions/iridescence_thickness_nm", thickness_nm)?;
        }
    }
    if let Some(sheen) = extensions.sheen {
        sheen.color.iter().try_for_each(|part| unit("extensions/sheen_color", *part))?;
        unit("extensions/sheen_roughness", sheen.roughness)?;
    }
    if let Some(specular) = extensions.specular {
        unit("extensions/specular", specular.factor)?;
        specular.color.iter().try_for_each(|part| up_to_million("extensions/specular_color", *part))?;
    }
    if let Some(transmission) = extensions.transmission {
        unit("extensions/transmission", transmission.factor)?;
    }
    if let Some(volume) = extensions.volume {
        up_to_million("extensions/thickness_m", volume.thickness_m)?;
        // Less than the least normal f32 would be 0 in a picture, and light is divided by it.
        let allowed = |m: f64| (f64::from(f32::MIN_POSITIVE)..=1e6).contains(&m);
        volume.attenuation_distance_m.iter().try_for_each(|distance_m| {
            number("extensions/attenuation_distance_m", *distance_m, "greater than 0, at most 1e6", allowed)
        })?;
        volume.attenuation_color.iter().try_for_each(|part| unit("extensions/attenuation_color", *part))?;
    }
    Ok(())
}
