//! Checks on the channels of animations: keys in order, as many values as they need, a target that has the path.

use super::{Checked, count};
use crate::gltf::UNIT_QUATERNION_TOLERANCE;
use crate::{Channel, ChannelPath, EditError, Interpolation, Scene};

pub(crate) fn channel(scene: &Scene, channel: &Channel) -> Checked {
    let node = scene.node(channel.node).ok_or(EditError::NoNode(channel.node))?;
    let components = match channel.path {
        ChannelPath::Translation | ChannelPath::Scale => 3,
        ChannelPath::Rotation => 4,
        ChannelPath::Weights => {
            let mesh = node.mesh.and_then(|mesh| scene.meshes().get(&mesh));
            let targets = mesh.map_or(0, |mesh| mesh.morph_target_count());
            if targets == 0 {
                return Err(EditError::NoMorphTargets(channel.node));
            }
            targets
        }
    };
    times(channel)?;
    values(channel, components)
}

fn times(channel: &Channel) -> Checked {
    let times_s = &channel.times_s;
    count("times_s", times_s.len())?;
    if channel.interpolation == Interpolation::CubicSpline && times_s.len() < 2 {
        return Err(EditError::OutOfRange { what: "times_s", given: 1.0, allowed: "at least 2 keys for CUBICSPLINE" });
    }
    if !times_s.iter().all(|time_s| time_s.is_finite()) {
        return Err(EditError::NotFinite { what: "times_s" });
    }
    if let Some(first) = times_s.first().copied().filter(|first| *first < 0.0) {
        return Err(EditError::OutOfRange { what: "times_s/0", given: first.into(), allowed: "at least 0" });
    }
    for (key, pair) in times_s.windows(2).enumerate() {
        if let [previous, given] = *pair
            && given <= previous
        {
            return Err(EditError::TimesNotIncreasing { key: key + 1, given, previous });
        }
    }
    Ok(())
}

fn values(channel: &Channel, components: usize) -> Checked {
    let per_key = channel.interpolation.values_per_key();
    let (given, wanted) = (channel.values.len(), channel.times_s.len() * per_key * components);
    if given != wanted {
        return Err(EditError::ValueCount { given, wanted });
    }
    if !channel.values.iter().all(|part| part.is_finite()) {
        return Err(EditError::NotFinite { what: "values" });
    }
    if channel.path != ChannelPath::Rotation {
        return Ok(());
    }
    for (row, quaternion) in channel.values.chunks_exact(components).enumerate() {
        let is_tangent = per_key == 3 && row % 3 != 1;
        let length = quaternion.iter().map(|part| f64::from(*part) * f64::from(*part)).sum::<f64>().sqrt();
        if !is_tangent && (length - 1.0).abs() > UNIT_QUATERNION_TOLERANCE {
            return Err(EditError::RotationLength { row, length });
        }
    }
    Ok(())
}
