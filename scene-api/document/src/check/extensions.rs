//! Checks on the factors of material extensions: the ranges that their specifications say.

use super::{Checked, finite, not_negative, number, positive, unit};
use crate::MaterialExtensions;

pub(super) fn extensions(extensions: &MaterialExtensions) -> Checked {
    if let Some(anisotropy) = extensions.anisotropy {
        unit("extensions/anisotropy", anisotropy.strength)?;
        finite("extensions/anisotropy_rotation_rad", &[anisotropy.rotation_rad])?;
    }
    if let Some(clearcoat) = extensions.clearcoat {
        unit("extensions/clearcoat", clearcoat.factor)?;
        unit("extensions/clearcoat_roughness", clearcoat.roughness)?;
    }
    if let Some(dispersion) = extensions.dispersion {
        not_negative("extensions/dispersion", dispersion.factor)?;
    }
    if let Some(found) = extensions.ior {
        number("extensions/ior", found.ior, "0, or at least 1", |ior| ior == 0.0 || ior >= 1.0)?;
    }
    if let Some(film) = extensions.iridescence {
        unit("extensions/iridescence", film.factor)?;
        number("extensions/iridescence_ior", film.ior, "at least 1", |ior| ior >= 1.0)?;
        for thickness_nm in [film.thickness_min_nm, film.thickness_max_nm] {
            not_negative("extensions/iridescence_thickness_nm", thickness_nm)?;
        }
    }
    if let Some(sheen) = extensions.sheen {
        sheen.color.iter().try_for_each(|part| unit("extensions/sheen_color", *part))?;
        unit("extensions/sheen_roughness", sheen.roughness)?;
    }
    if let Some(specular) = extensions.specular {
        unit("extensions/specular", specular.factor)?;
        specular.color.iter().try_for_each(|part| not_negative("extensions/specular_color", *part))?;
    }
    if let Some(transmission) = extensions.transmission {
        unit("extensions/transmission", transmission.factor)?;
    }
    if let Some(volume) = extensions.volume {
        not_negative("extensions/thickness_m", volume.thickness_m)?;
        volume.attenuation_distance_m.iter().try_for_each(|m| positive("extensions/attenuation_distance_m", *m))?;
        volume.attenuation_color.iter().try_for_each(|part| unit("extensions/attenuation_color", *part))?;
    }
    Ok(())
}
