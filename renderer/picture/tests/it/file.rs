//! Files hold what they were made of.

use scene_picture::{PngError, grey_png, png};
use std::io::Cursor;

#[test]
fn a_file_holds_the_pixels_and_the_text() {
    let pixels = [[1, 2, 3], [4, 5, 6], [255, 0, 7], [8, 9, 10], [11, 12, 13], [14, 15, 16]];
    let bytes = png(3, 2, &pixels, &[("Software", "a test"), ("Lit", "by nothing")]).unwrap();
    let mut reader = ::png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (3, 2));
    let text: Vec<(&str, &str)> = reader
        .info()
        .uncompressed_latin1_text
        .iter()
        .map(|chunk| (chunk.keyword.as_str(), chunk.text.as_str()))
        .collect();
    assert_eq!(text, [("Software", "a test"), ("Lit", "by nothing")]);
    let mut decoded = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut decoded).unwrap();
    assert_eq!(decoded, pixels.as_flattened());
}

#[test]
fn a_grey_file_holds_sixteen_bits() {
    let bytes = grey_png(2, 2, &[0, 255, 256, 65_535]).unwrap();
    let mut reader = ::png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
    let mut decoded = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut decoded).unwrap();
    assert_eq!(decoded, [0, 0, 0, 255, 1, 0, 255, 255]);
}

#[test]
fn a_file_of_another_size_than_its_pixels_is_refused() {
    let refused = png(3, 2, &[[0; 3]; 5], &[]);
    assert!(matches!(refused, Err(PngError::PixelCount { given: 5, width: 3, height: 2 })));
    assert!(matches!(grey_png(1, 2, &[0]), Err(PngError::PixelCount { given: 1, .. })));
    assert!(matches!(png(0, 0, &[], &[]), Err(PngError::Encode(_))));
    assert!(matches!(png(1, 1, &[[0; 3]], &[("", "a keyword is missing")]), Err(PngError::Encode(_))));
}
