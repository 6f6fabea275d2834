//! Edits of animations, and what other edits take from them.

use super::{Applied, Changed, EditError, take};
use crate::{Animation, AnimationId, Channel, Kept, Scene, check};
use std::sync::Arc;

pub(super) fn create(scene: &Scene, animation: Animation) -> Result<Applied, EditError> {
    let mut made = Animation { name: animation.name, ..Animation::default() };
    for channel in animation.channels {
        let (node, path) = channel.target();
        if put(scene, &mut made, channel)? {
            return Err(EditError::TargetTwice { node, path: path.name() });
        }
    }
    let mut scene = scene.clone();
    let id = AnimationId(take(&mut scene.next.animation));
    scene.animations.insert_mut(id, Arc::new(made));
    Ok(changed(scene, id))
}

pub(super) fn set_channel(scene: &Scene, id: AnimationId, channel: Channel) -> Result<Applied, EditError> {
    let mut animation = Animation::clone(scene.animations.get(&id).ok_or(EditError::NoAnimation(id))?);
    put(scene, &mut animation, channel)?;
    let mut scene = scene.clone();
    scene.animations.insert_mut(id, Arc::new(animation));
    Ok(changed(scene, id))
}

pub(super) fn delete(scene: &Scene, id: AnimationId) -> Result<Applied, EditError> {
    let mut scene = scene.clone();
    if !scene.animations.remove_mut(&id) {
        return Err(EditError::NoAnimation(id));
    }
    Ok(changed(scene, id))
}

/// Takes the `gone` channels out, and with them the animations of which nothing is left; the ids of those that had
/// such channels.
pub(super) fn drop_channels(after: &mut Scene, gone: impl Fn(&Channel) -> bool) -> Vec<AnimationId> {
    let mut touched = Vec::new();
    for (id, animation) in &after.animations {
        if animation.channels.iter().any(&gone) {
            let mut rest = Animation::clone(animation);
            rest.channels.retain(|channel| !gone(channel));
            touched.push((*id, rest));
        }
    }
    let ids = touched.iter().map(|(id, _)| *id).collect();
    for (id, rest) in touched {
        if rest.channels.is_empty() && !rest.keeps_channels() {
            after.animations.remove_mut(&id);
        } else {
            after.animations.insert_mut(id, Arc::new(rest));
        }
    }
    ids
}

/// Whether the channel took the place of another.
fn put(scene: &Scene, animation: &mut Animation, channel: Channel) -> Result<bool, EditError> {
    check::channel(scene, &channel)?;
    // An accessor of another file would mean something else here.
    let channel = Channel { sampler: None, kept: Kept::default(), ..channel };
    match animation.channels.binary_search_by_key(&channel.target(), Channel::target) {
        Ok(place) => {
            if let Some(old) = animation.channels.get_mut(place) {
                *old = channel;
            }
            Ok(true)
        }
        Err(place) => {
            animation.channels.insert(place, channel);
            Ok(false)
        }
    }
}

fn changed(scene: Scene, id: AnimationId) -> Applied {
    Applied { scene, changed: Changed { animations: vec![id], ..Changed::default() } }
}
