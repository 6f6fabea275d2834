use crate::scenes::{cuboid, orthographic, quad, scene};
use scene_raster::{
    Frame, Lit, PngError, RasterScene, Shade, depth_picture, id_picture, normal_picture, png_rgb, tonemapped,
};
use std::io::Cursor;

fn two_boxes() -> Frame {
    let boxes = vec![cuboid([-1.0, -0.5, -1.0], [0.0, 0.5, 0.0]), cuboid([0.0, -0.5, 0.0], [1.0, 0.5, 2.0])];
    RasterScene::new(&scene(boxes, vec![])).frame(&orthographic(2.0, 40))
}

#[test]
fn png_holds_the_pixels() {
    let pixels = [[1, 2, 3], [4, 5, 6], [255, 0, 7], [8, 9, 10], [11, 12, 13], [14, 15, 16]];
    let bytes = png_rgb(3, 2, &pixels).unwrap();
    assert_eq!(bytes[..8], [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a]);
    assert_eq!(bytes[16..24], [0, 0, 0, 3, 0, 0, 0, 2]);
    assert!(bytes.windows(28).any(|window| window == b"Maquette reference rasterise"));
    let mut reader = png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
    let mut decoded = vec![0_u8; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut decoded).unwrap();
    assert_eq!(decoded, pixels.as_flattened());
}

#[test]
fn png_of_the_wrong_size_is_refused() {
    let refused = png_rgb(3, 2, &[[0; 3]; 5]);
    assert!(matches!(refused, Err(PngError::PixelCount { given: 5, width: 3, height: 2 })));
    assert!(matches!(png_rgb(0, 0, &[]), Err(PngError::Encode(_))));
}

#[test]
fn ids_have_colours_and_nothing_is_black() {
    let colours = id_picture(&two_boxes());
    let (left, right) = (colours[20 * 40 + 15], colours[20 * 40 + 25]);
    assert_ne!(left, right);
    assert!(left.iter().chain(&right).all(|value| *value >= 64));
    assert_eq!(colours[0], [0; 3]);
}

#[test]
fn nearer_is_brighter() {
    let picture = depth_picture(&two_boxes());
    assert_eq!(picture[20 * 40 + 25], [255; 3]);
    assert_eq!(picture[20 * 40 + 15], [51; 3]);
    assert_eq!(picture[0], [0; 3]);
    let wall = quad([[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]]);
    let flat = depth_picture(&RasterScene::new(&scene(vec![wall], vec![])).frame(&orthographic(2.0, 4)));
    assert_eq!(flat, vec![[255; 3]; 16]);
}

#[test]
fn normal_toward_the_viewer_is_blue() {
    let shade = Shade { normal: vec![[0.0, 0.0, 1.0], [0.0; 3], [-1.0, 0.0, 0.0]], albedo: vec![], emissive: vec![] };
    assert_eq!(normal_picture(&shade), [[128, 128, 255], [0; 3], [0, 128, 128]]);
}

#[test]
fn white_is_where_the_picture_clips_and_nothing_is_grey() {
    let frame = two_boxes();
    let lit =
        Lit { luminance: vec![], rgb: vec![[0.0, 50.0, 1e6]; frame.mesh.len()], by_light: vec![], over_budget: false };
    let picture = tonemapped(&lit, &frame, 100.0);
    // 0.5 linear is 188 in sRGB.
    assert_eq!(picture[20 * 40 + 15], [0, 188, 255]);
    assert_eq!(picture[0], [96; 3]);
    assert_eq!(tonemapped(&lit, &frame, 50.0)[20 * 40 + 15], [0, 255, 255]);
}
