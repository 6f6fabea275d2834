//! An environment as EXT_lights_image_based: a light whose irradiance and reflections are the same on all sides.

use super::check::{Document, index, numbers};
use crate::check;
use crate::environment::Surroundings;
use crate::image::header;
use crate::{Environment, Image, Pattern, Recipe};
use serde_json::{Value, json};

pub(super) const IMAGE_BASED: &str = "EXT_lights_image_based";

/// The first spherical harmonic coefficient of the irradiance under radiance 1 from all around: π over Y₀₀, which is
/// 1 / (2√π). Ramamoorthi and Hanrahan, An Efficient Representation for Irradiance Environment Maps, 2001.
const FIRST: f64 = 11.136_655_993_663_416;

/// The light; the image at that place is on each of its six sides. Its intensity multiplies both what matt surfaces
/// reflect and what is mirrored.
pub(super) fn light_json(environment: &Environment, image: usize) -> Value {
    let mut coefficients = [[0.0; 3]; 9];
    coefficients[0] = environment.color.map(|part| part * FIRST);
    let sides = [image; 6];
    json!({
        "intensity": environment.luminance_cd_m2,
        "irradianceCoefficients": coefficients,
        "specularImages": [sides],
        "specularImageSize": 1,
    })
}

/// One pixel of the colour, sRGB-encoded in three 8-bit channels.
pub(super) fn picture(environment: &Environment) -> Image {
    let colors = [environment.color.map(srgb_encoded); 2];
    let recipe = Recipe { pattern: Pattern::Checker { squares: 1 }, size_px: 1, colors };
    recipe.image().expect("a colour in [0, 1] makes a picture of one pixel")
}

/// IEC 61966-2-1.
fn srgb_encoded(linear: f64) -> f64 {
    let encoded = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 };
    encoded.clamp(0.0, 1.0)
}

/// Of the default scene.
pub(super) fn surroundings(document: &Document) -> Surroundings {
    let root = &document.json;
    let scene = index(root.get("scene")).unwrap_or(0);
    let lights = root.pointer(&format!("/extensions/{IMAGE_BASED}"));
    let used = root.pointer(&format!("/scenes/{scene}/extensions/{IMAGE_BASED}"));
    if lights.is_none() && used.is_none() {
        return Surroundings::Dark;
    }
    let light = index(used.and_then(|used| used.get("light"))).and_then(|place| lights?.get("lights")?.get(place));
    light.and_then(|light| uniform(document, light)).map_or(Surroundings::Kept, Surroundings::Uniform)
}

/// `None` for a light that is not the same on all sides, too bright for an edit to bring, or malformed. What of a colour
/// is past 1 becomes luminance.
fn uniform(document: &Document, light: &Value) -> Option<Environment> {
    let (first, others) = light.get("irradianceCoefficients")?.as_array()?.split_first()?;
    let is_even = others.len() == 8 && others.iter().all(|other| numbers::<3>(Some(other)) == Some([0.0; 3]));
    let [sides] = light.get("specularImages")?.as_array()?.as_slice() else { return None };
    let sides = sides.as_array()?;
    let mirrors_one = sides.len() == 6 && sides.iter().all(|side| sides.first() == Some(side));
    let (_, size_px) = header(document.image(index(sides.first())?)?)?;
    let is_pixel = index(light.get("specularImageSize")) == Some(1) && size_px == Ok([1, 1]);
    if !(is_even && mirrors_one && is_pixel) {
        return None;
    }
    let coefficients: [f64; 3] = numbers(Some(first))?;
    let intensity = light.get("intensity").map_or(Some(1.0), Value::as_f64)?;
    let color = coefficients.map(part_of);
    let most = color.into_iter().fold(1.0, f64::max);
    let environment = Environment { color: color.map(|part| part / most), luminance_cd_m2: intensity * most };
    check::environment(&environment).is_ok().then_some(environment)
}

/// What times `FIRST` is the coefficient. Two neighbours may be: then the one with fewer digits, as people write it.
fn part_of(coefficient: f64) -> f64 {
    let near = coefficient / FIRST;
    let exact = [near, near.next_up(), near.next_down()].into_iter().filter(|part| part * FIRST == coefficient);
    exact.min_by_key(|part| format!("{part:e}").len()).unwrap_or(near)
}
