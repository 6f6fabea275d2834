//! Checks on the values that edits bring: finite, in range, indices inside their arrays.

mod channel;
mod deformation;
mod extensions;
mod textures;

pub(crate) use channel::channel;
pub(crate) use deformation::{bound, skin, weights};
pub(crate) use textures::textures;

use crate::gltf::UNIT_VECTOR_TOLERANCE;
use crate::{
    Camera, Deformation, EditError, Environment, Geometry, Light, LightKind, Material, Mesh, Projection, Shape,
    Triangles, Trs,
};
use std::f64::consts::{FRAC_PI_2, PI};

type Checked = Result<(), EditError>;

/// The transform with its rotation normalised.
pub(crate) fn transform(trs: &Trs) -> Result<Trs, EditError> {
    finite("translation", &trs.translation)?;
    finite("rotation", &trs.rotation)?;
    finite("scale", &trs.scale)?;
    // Scaling by the largest component first keeps the squares from over- and underflowing.
    let largest = trs.rotation.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
    if largest == 0.0 {
        return Err(EditError::ZeroRotation { given: trs.rotation });
    }
    let scaled = trs.rotation.map(|part| part / largest);
    let scaled_length = scaled.iter().map(|part| part * part).sum::<f64>().sqrt();
    // A quaternion that is unit to the last bit stays as it is, so that writing back what was read changes nothing.
    let is_unit = (scaled_length * largest - 1.0).abs() <= f64::EPSILON;
    let rotation = if is_unit { trs.rotation } else { scaled.map(|part| part / scaled_length) };
    Ok(Trs { rotation, ..*trs })
}

pub(crate) fn mesh(mesh: &Mesh) -> Checked {
    count("primitives", mesh.primitives.len())?;
    mesh.primitives.iter().try_for_each(|primitive| match &primitive.geometry {
        Geometry::Shape(shape) => self::shape(shape),
        Geometry::Raw(triangles) => filled(triangles),
        Geometry::Deformable { triangles, deformation } => {
            filled(triangles)?;
            deformed(triangles, deformation)
        }
        Geometry::Imported { triangles, deformation, .. } => {
            self::triangles(triangles)?;
            deformation.iter().try_for_each(|deformation| deformed(triangles, deformation))
        }
    })?;
    deformation::targets(mesh)
}

fn filled(triangles: &Triangles) -> Checked {
    count("positions", triangles.positions.len())?;
    count("triangles", triangles.triangles.len())?;
    self::triangles(triangles)
}

fn deformed(triangles: &Triangles, deformation: &Deformation) -> Checked {
    deformation::deformation(deformation, triangles.positions.len(), triangles.normals.is_some())
}

fn triangles(mesh: &Triangles) -> Checked {
    let vertices = mesh.positions.len();
    if !mesh.positions.iter().flatten().all(|part| part.is_finite()) {
        return Err(EditError::NotFinite { what: "positions" });
    }
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        if let Some(index) = corners.iter().copied().find(|index| *index as usize >= vertices) {
            return Err(EditError::IndexOutOfRange { triangle, index, vertices });
        }
    }
    if let Some(uvs) = &mesh.uvs {
        if uvs.len() != vertices {
            return Err(EditError::UvCount { uvs: uvs.len(), positions: vertices });
        }
        if !uvs.iter().flatten().all(|part| part.is_finite()) {
            return Err(EditError::NotFinite { what: "uvs" });
        }
    }
    let Some(normals) = &mesh.normals else { return Ok(()) };
    if normals.len() != vertices {
        return Err(EditError::NormalCount { normals: normals.len(), positions: vertices });
    }
    let lengths = normals.iter().map(|normal| {
        let [x, y, z] = normal.map(f64::from);
        (x * x + y * y + z * z).sqrt()
    });
    // A length that is not a number is not within the tolerance either.
    let is_unit = |length: f64| (length - 1.0).abs() <= UNIT_VECTOR_TOLERANCE;
    match lengths.enumerate().find(|(_, length)| !is_unit(*length)) {
        Some((normal, length)) => Err(EditError::NormalLength { normal, length }),
        None => Ok(()),
    }
}

fn shape(shape: &Shape) -> Checked {
    match *shape {
        Shape::Box { size_m } | Shape::Wedge { size_m } => extents(&size_m),
        Shape::Plane { size_m } => extents(&size_m),
        Shape::UvSphere { radius_m, segments, rings } => {
            size("radius_m", radius_m)?;
            around("segments", segments)?;
            number("rings", f64::from(rings), "2 to 128", |rings| (2.0..=128.0).contains(&rings))
        }
        Shape::Cylinder { radius_m, height_m, segments } | Shape::Cone { radius_m, height_m, segments } => {
            size("radius_m", radius_m)?;
            size("height_m", height_m)?;
            around("segments", segments)
        }
        Shape::Torus { ring_radius_m, tube_radius_m, segments, sides } => {
            size("ring_radius_m", ring_radius_m)?;
            size("tube_radius_m", tube_radius_m)?;
            number("tube_radius_m", tube_radius_m, "less than ring_radius_m", |tube| tube < ring_radius_m)?;
            around("segments", segments)?;
            around("sides", sides)
        }
        Shape::Capsule { radius_m, height_m, segments, rings } => {
            size("radius_m", radius_m)?;
            size("height_m", height_m)?;
            number("height_m", height_m, "more than twice radius_m", |height| height > 2.0 * radius_m)?;
            around("segments", segments)?;
            number("rings", f64::from(rings), "1 to 64", |rings| (1.0..=64.0).contains(&rings))
        }
        Shape::Tube { outer_radius_m, inner_radius_m, height_m, segments } => {
            size("outer_radius_m", outer_radius_m)?;
            size("inner_radius_m", inner_radius_m)?;
            number("inner_radius_m", inner_radius_m, "less than outer_radius_m", |inner| inner < outer_radius_m)?;
            size("height_m", height_m)?;
            around("segments", segments)
        }
        Shape::IcoSphere { radius_m, subdivisions } => {
            size("radius_m", radius_m)?;
            number("subdivisions", f64::from(subdivisions), "0 to 5", |times| (0.0..=5.0).contains(&times))
        }
    }
}

pub(crate) fn material(material: &Material) -> Checked {
    material.base_color.iter().try_for_each(|part| unit("base_color", *part))?;
    unit("metallic", material.metallic)?;
    unit("roughness", material.roughness)?;
    material.emissive.iter().try_for_each(|part| unit("emissive", *part))?;
    number("emissive_strength", material.emissive_strength, "0 to 1e9", |nits| (0.0..=1e9).contains(&nits))?;
    not_negative("alpha_cutoff", material.alpha_cutoff)?;
    extensions::extensions(&material.extensions)
}

pub(crate) fn light(light: &Light) -> Checked {
    light.color.iter().try_for_each(|part| unit("color", *part))?;
    not_negative("intensity", light.intensity)?;
    light.range_m.iter().try_for_each(|range| positive("range_m", *range))?;
    match light.kind {
        LightKind::Directional | LightKind::Point => Ok(()),
        LightKind::Spot { inner_cone_rad, outer_cone_rad } => {
            number("outer_cone_rad", outer_cone_rad, "greater than 0, at most π/2", |outer| {
                outer > 0.0 && outer <= FRAC_PI_2
            })?;
            number("inner_cone_rad", inner_cone_rad, "at least 0, less than outer_cone_rad", |inner| {
                (0.0..outer_cone_rad).contains(&inner)
            })
        }
    }
}

pub(crate) fn environment(environment: &Environment) -> Checked {
    environment.color.iter().try_for_each(|part| unit("color", *part))?;
    number("luminance_cd_m2", environment.luminance_cd_m2, "0 to 1e9", |luminance| (0.0..=1e9).contains(&luminance))
}

pub(crate) fn camera(camera: &Camera) -> Checked {
    match camera.projection {
        Projection::Perspective { yfov_rad, aspect, znear_m, zfar_m } => {
            number("yfov_rad", yfov_rad, "greater than 0, less than π", |yfov| yfov > 0.0 && yfov < PI)?;
            aspect.iter().try_for_each(|aspect| positive("aspect", *aspect))?;
            positive("znear_m", znear_m)?;
            zfar_m.iter().try_for_each(|zfar| beyond(*zfar, znear_m))
        }
        Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m } => {
            positive("xmag_m", xmag_m)?;
            positive("ymag_m", ymag_m)?;
            not_negative("znear_m", znear_m)?;
            beyond(zfar_m, znear_m)
        }
    }
}

fn number(what: &'static str, given: f64, allowed: &'static str, holds: impl Fn(f64) -> bool) -> Checked {
    finite(what, &[given])?;
    if holds(given) { Ok(()) } else { Err(EditError::OutOfRange { what, given, allowed }) }
}

fn finite(what: &'static str, given: &[f64]) -> Checked {
    if given.iter().all(|part| part.is_finite()) { Ok(()) } else { Err(EditError::NotFinite { what }) }
}

fn unit(what: &'static str, given: f64) -> Checked {
    number(what, given, "0 to 1", |given| (0.0..=1.0).contains(&given))
}

fn not_negative(what: &'static str, given: f64) -> Checked {
    number(what, given, "at least 0", |given| given >= 0.0)
}

/// Of factors without a bound of their own: pictures hold them as f32, and so do most readers of glTF.
fn up_to_million(what: &'static str, given: f64) -> Checked {
    number(what, given, "0 to 1e6", |given| (0.0..=1e6).contains(&given))
}

/// Like `up_to_million`, of either sign.
fn within_million(what: &'static str, given: f64) -> Checked {
    number(what, given, "-1e6 to 1e6", |given| given.abs() <= 1e6)
}

fn positive(what: &'static str, given: f64) -> Checked {
    number(what, given, "greater than 0", |given| given > 0.0)
}

fn beyond(zfar_m: f64, znear_m: f64) -> Checked {
    number("zfar_m", zfar_m, "greater than znear_m", |zfar| zfar > znear_m)
}

/// Shapes become f32 vertices, so half a size must still be a normal f32.
fn size(what: &'static str, given: f64) -> Checked {
    let smallest = 2.0 * f64::from(f32::MIN_POSITIVE);
    number(what, given, "greater than 0, at most 1e30", |size| (smallest..=1e30).contains(&size))
}

fn extents(size_m: &[f64]) -> Checked {
    let names = ["size_m/0", "size_m/1", "size_m/2"];
    names.iter().zip(size_m).try_for_each(|(name, extent)| size(name, *extent))
}

fn around(what: &'static str, segments: u32) -> Checked {
    number(what, f64::from(segments), "3 to 256", |segments| (3.0..=256.0).contains(&segments))
}

fn count(what: &'static str, given: usize) -> Checked {
    if given > 0 { Ok(()) } else { Err(EditError::OutOfRange { what, given: 0.0, allowed: "at least 1" }) }
}
