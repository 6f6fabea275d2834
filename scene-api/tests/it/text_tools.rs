//! `mesh.add_text` against the font: areas by Green's theorem of its curves, places by its advances.

use crate::mesh_tools::{after, bare, bounds, mesh, spans, volume};
use crate::play::{done, refused};
use epaint_default_fonts::HACK_REGULAR;
use geometry_checks::{Mesh, Tolerances, integrity, normals};
use serde_json::{Value, json};
use skrifa::font::Font;
use skrifa::font::glyph::outline::{DrawMemory, DrawOptions, PathElement};

const HEIGHT_M: f64 = 0.2;
const DEPTH_M: f64 = 0.05;

fn font() -> Font {
    Font::new(HACK_REGULAR, 0).unwrap()
}

fn path(character: char) -> Vec<PathElement> {
    let font = font();
    let mut path: Vec<PathElement> = Vec::new();
    let id = font.charmap().map_unicode(character).unwrap();
    font.outline_glyphs().get(id).unwrap().draw(&DrawOptions::new(), DrawMemory::Scratch, &mut path).unwrap();
    path
}

fn advance(character: char) -> f64 {
    let font = font();
    let id = font.charmap().map_unicode(character).unwrap();
    f64::from(font.glyph_metrics().h_advance(id))
}

/// Where a path goes: through the controls of its curves too.
fn points(path: &[PathElement]) -> Vec<[f64; 2]> {
    let at = |x: f32, y: f32| [f64::from(x), f64::from(y)];
    path.iter()
        .flat_map(|element| match *element {
            PathElement::MoveTo { x, y } | PathElement::LineTo { x, y } => vec![at(x, y)],
            PathElement::QuadTo { cx0, cy0, x, y } => vec![at(cx0, cy0), at(x, y)],
            PathElement::CurveTo { .. } => panic!("TrueType has no cubic curves"),
            PathElement::Close => Vec::new(),
        })
        .collect()
}

/// Least and greatest of one coordinate.
fn reach(path: &[PathElement], axis: usize) -> [f64; 2] {
    let along = points(path).into_iter().map(|point| point[axis]);
    along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], part| [low.min(part), high.max(part)])
}

/// Metres of one unit of the font.
fn unit_m() -> f64 {
    HEIGHT_M / reach(&path('H'), 1)[1]
}

/// Of the curves themselves, square metres.
fn area_m2(character: char) -> f64 {
    let cross = |[a, b]: [f64; 2], [c, d]: [f64; 2]| a * d - b * c;
    let at = |x: f32, y: f32| [f64::from(x), f64::from(y)];
    let (mut start, mut pen, mut area) = ([0.0; 2], [0.0; 2], 0.0);
    for element in path(character) {
        match element {
            PathElement::MoveTo { x, y } => {
                start = at(x, y);
                pen = start;
            }
            PathElement::LineTo { x, y } => {
                area += cross(pen, at(x, y)) / 2.0;
                pen = at(x, y);
            }
            PathElement::QuadTo { cx0, cy0, x, y } => {
                let (control, end) = (at(cx0, cy0), at(x, y));
                area += (2.0 * cross(pen, control) + 2.0 * cross(control, end) + cross(pen, end)) / 6.0;
                pen = end;
            }
            PathElement::CurveTo { .. } => panic!("TrueType has no cubic curves"),
            PathElement::Close => {
                area += cross(pen, start) / 2.0;
                pen = start;
            }
        }
    }
    // TrueType fills what is to the right of a contour.
    assert!(area < 0.0, "{character}");
    -area * unit_m() * unit_m()
}

fn written(text: &str, more: &Value) -> Mesh {
    let mut arguments = json!({"text": text, "height_m": HEIGHT_M, "depth_m": DEPTH_M});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    mesh(&after(&bare(), "mesh.add_text", arguments).0)
}

fn assert_sound(text: &str, solid: &Mesh) {
    let found = integrity(solid, false, &Tolerances::default());
    assert!(found.value() == 1.0, "{text:?}: {:?}", found.faults);
    let looks = normals(solid, false, &Tolerances::default());
    assert!(looks.value() > 1.0 - 1e-9, "{text:?}: {:?}", looks.faults);
    let wanted = text.chars().filter(|character| !character.is_whitespace()).map(area_m2).sum::<f64>() * DEPTH_M;
    // Dots are round, and made of few pieces.
    assert!((volume(solid) / wanted - 1.0).abs() < 0.015, "{text:?}: {} instead of {wanted}", volume(solid));
}

#[test]
fn every_printable_character_of_ascii_is_a_sound_solid() {
    for character in '!'..='~' {
        let text = character.to_string();
        let solid = written(&text, &json!({}));
        assert_sound(&text, &solid);
        let [left, right] = reach(&path(character), 0).map(|part| part * unit_m());
        let [[x, to_x], _, z] = bounds(&solid);
        assert!(x > left - 1e-6 && to_x < right + 1e-6, "{text} reaches from {x} to {to_x}");
        assert!(z[0] == 0.0 && (z[1] - DEPTH_M).abs() < 1e-6, "{text} is from {z:?}");
    }
}

#[test]
fn texts_of_several_letters_and_lines_are_sound() {
    for text in
        ["WWW Rw", "g%8@\n|Ag&\n\n|j.", "Äpfel für 3 €", "the quick brown fox jumps over the lazy dog, 0123456789"]
    {
        for tolerance_m in [0.4e-3, 0.25e-3] {
            assert_sound(text, &written(text, &json!({"curve_tolerance_m": tolerance_m})));
        }
    }
}

#[test]
fn letters_stand_where_the_font_has_them() {
    let (unit, [left, right]) = (unit_m(), reach(&path('H'), 0));
    // The gap of a hundredth keeps neighbours apart that are as wide as their advance.
    let step_m = advance('H') * unit + 0.01 * HEIGHT_M;
    assert_eq!(advance('H'), advance('.'), "one width for all");
    let row = |first: f64, last: f64| {
        [[left * unit + first * step_m, right * unit + last * step_m], [0.0, HEIGHT_M], [0.0, DEPTH_M]]
    };
    spans(bounds(&written("H", &json!({}))), row(0.0, 0.0));
    spans(bounds(&written("HHH", &json!({}))), row(0.0, 2.0));
    spans(bounds(&written("H H", &json!({"align": "left"}))), row(0.0, 2.0));
    spans(bounds(&written(" H", &json!({}))), row(1.0, 1.0));
    spans(bounds(&written("HHH", &json!({"align": "centre"}))), row(-1.5, 0.5));
    spans(bounds(&written("HHH", &json!({"align": "right"}))), row(-3.0, -1.0));
    let [x, y, _] = bounds(&written("H\nHH", &json!({"align": "right"})));
    spans([x, y, [0.0; 2]], [row(-2.0, -1.0)[0], [-1.6 * HEIGHT_M, HEIGHT_M], [0.0; 2]]);
}

#[test]
fn finer_steps_make_more_triangles_and_come_nearer() {
    let off = |tolerance_m: f64| {
        let solid = written("8", &json!({"curve_tolerance_m": tolerance_m}));
        (solid.triangles.len(), (volume(&solid) / (area_m2('8') * DEPTH_M) - 1.0).abs())
    };
    let (coarse, fine) = (off(0.02), off(0.25e-3));
    assert!(coarse.0 < fine.0 && coarse.1 > fine.1, "{coarse:?} {fine:?}");
    assert!(fine.1 < 2e-3, "{fine:?}");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let start = bare();
    let mut text = json!({"node": "n_1", "text": "a", "height_m": 0.1, "depth_m": 0.01});
    done(&start, "mesh.add_text", &text);
    for (member, given, code) in [
        ("text", json!("snow \u{1F600}"), "UNSUPPORTED"),
        ("text", json!("tab\there"), "UNSUPPORTED"),
        ("text", json!("x".repeat(65)), "LIMIT_EXCEEDED"),
        ("text", json!(" \n "), "DEGENERATE"),
        ("text", json!(""), "DEGENERATE"),
        // Lines that are made to join, and a pattern whose parts touch.
        ("text", json!("\u{2500}\u{2500}"), "DEGENERATE"),
        ("text", json!("\u{2592}"), "DEGENERATE"),
        ("height_m", json!(0), "OUT_OF_RANGE"),
        ("depth_m", json!(-1), "OUT_OF_RANGE"),
        ("curve_tolerance_m", json!(0.05), "OUT_OF_RANGE"),
        ("curve_tolerance_m", json!(1e-9), "OUT_OF_RANGE"),
        ("align", json!("middle"), "INVALID_ARGUMENT"),
    ] {
        let before = text.clone();
        text[member] = given;
        let error = refused(&start, "mesh.add_text", &text.to_string());
        assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!(format!("/{member}"))), "{text}");
        text = before;
    }
    text["text"] = json!("snow \u{1F600}");
    let error = refused(&start, "mesh.add_text", &text.to_string());
    assert_eq!(error["given"], "\u{1F600}");
    text["text"] = json!("\u{2500}\u{2500}");
    assert_eq!(refused(&start, "mesh.add_text", &text.to_string())["given"], "\u{2500}\u{2500}");
}
