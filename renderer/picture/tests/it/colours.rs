//! What people see of each fact.

use scene_picture::{albedo, depths, exact_ids, ids, light, normals};

#[test]
fn ids_have_colours_and_nothing_is_black() {
    let colours = ids(&[1, 0, 2, 1]);
    assert_ne!(colours[0], colours[2]);
    assert_eq!((colours[1], colours[3]), ([0; 3], colours[0]));
    assert!(colours[0].iter().chain(&colours[2]).all(|part| *part >= 64));
}

#[test]
fn exact_ids_are_read_back_from_their_bytes() {
    assert_eq!(exact_ids(&[0, 255, 256, 65_537, 16_777_215]), [[0; 3], [0, 0, 255], [0, 1, 0], [1, 0, 1], [255; 3]]);
}

#[test]
fn nearer_is_brighter_and_nothing_is_black() {
    assert_eq!(depths(&[4.0, f32::INFINITY, 2.0, 3.0]), [[51; 3], [0; 3], [255; 3], [153; 3]]);
    assert_eq!(depths(&[7.0, 7.0]), [[255; 3]; 2]);
    assert_eq!(depths(&[f32::INFINITY]), [[0; 3]]);
}

#[test]
fn a_normal_towards_the_viewer_is_blue() {
    let colours = normals(&[[0.0, 0.0, 1.0], [0.0; 3], [-1.0, 0.0, 0.0]]);
    assert_eq!(colours, [[128, 128, 255], [0; 3], [0, 128, 128]]);
}

/// 0.5 linear is 188 in sRGB.
#[test]
fn white_is_where_light_clips() {
    assert_eq!(light(&[[0.0, 50.0, 1e6], [21.22; 3]], 100.0), [[0, 188, 255], [127; 3]]);
    assert_eq!(light(&[[0.0, 50.0, 1e6]], 50.0), [[0, 255, 255]]);
    assert_eq!(albedo(&[[0.0, 0.5, 1.0]]), [[0, 188, 255]]);
}
