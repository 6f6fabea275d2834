//! Text as flat contours: the letters of Hack Regular, which comes with the crate `epaint_default_fonts`.

use epaint_default_fonts::HACK_REGULAR;
use skrifa::font::Font;
use skrifa::font::glyph::outline::{DrawMemory, DrawOptions, PathElement};

/// The height of the font's capitals in its own units.
const CAPITAL_UNITS: f64 = 1493.0;
/// Beside the font's own advance: W is as wide as that, and two of them would touch.
const GAP: f64 = 0.01;
/// From one baseline to the next.
const LINE: f64 = 1.6;

/// Lengths are in heights of capitals; +Y is up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Letter {
    pub(crate) character: char,
    /// Where they are in the text; none for a space.
    pub(crate) contours: Vec<Vec<[f64; 2]>>,
}

/// The letters of a text. Its first baseline is y = 0, its lines are 1.6 apart; `before` is the share of each line that
/// is left of x = 0. Curves are followed within `tolerance` (more than 0).
///
/// # Errors
/// The first character that the font does not have.
pub(crate) fn lettered(text: &str, before: f64, tolerance: f64) -> Result<Vec<Letter>, char> {
    // A font that cannot be read would have no character.
    let font = Font::new(HACK_REGULAR, 0);
    let drawn = |character| glyph(font.as_ref()?, character, tolerance);
    let mut letters = Vec::new();
    for (row, line) in text.split('\n').enumerate() {
        let glyphs = line.chars().map(|character| drawn(character).ok_or(character));
        let glyphs = glyphs.collect::<Result<Vec<_>, char>>()?;
        let width: f64 = glyphs.iter().map(|(_, advance)| advance).sum();
        let (mut x, y) = (-before * width, -LINE * row as f64);
        for (mut letter, advance) in glyphs {
            for point in letter.contours.iter_mut().flatten() {
                *point = [point[0] + x, point[1] + y];
            }
            letters.push(letter);
            x += advance;
        }
    }
    Ok(letters)
}

/// With its advance.
fn glyph(font: &Font, character: char, tolerance: f64) -> Option<(Letter, f64)> {
    let id = font.charmap().map_unicode(character).filter(|_| !character.is_control())?;
    let mut path: Vec<PathElement> = Vec::new();
    if let Some(outline) = font.outline_glyphs().get(id) {
        outline.draw(&DrawOptions::new(), DrawMemory::Scratch, &mut path).ok()?;
    }
    let advance = f64::from(font.glyph_metrics().h_advance(id)) / CAPITAL_UNITS + GAP;
    Some((Letter { character, contours: contours(&path, tolerance) }, advance))
}

fn contours(path: &[PathElement], tolerance: f64) -> Vec<Vec<[f64; 2]>> {
    let at = |x: f32, y: f32| [x, y].map(|part| f64::from(part) / CAPITAL_UNITS);
    let mut contours: Vec<Vec<[f64; 2]>> = Vec::new();
    for element in path {
        let controls = match *element {
            PathElement::MoveTo { x, y } => {
                contours.push(vec![at(x, y)]);
                continue;
            }
            PathElement::LineTo { x, y } => vec![at(x, y)],
            PathElement::QuadTo { cx0, cy0, x, y } => vec![at(cx0, cy0), at(x, y)],
            PathElement::CurveTo { cx0, cy0, cx1, cy1, x, y } => vec![at(cx0, cy0), at(cx1, cy1), at(x, y)],
            PathElement::Close => continue,
        };
        if let Some(contour) = contours.last_mut() {
            follow(contour, &controls, tolerance);
        }
    }
    for contour in &mut contours {
        contour.dedup();
        if contour.len() > 1 && contour.first() == contour.last() {
            contour.pop();
        }
    }
    contours
}

/// Goes on along a Bézier curve from the last point, in equal steps of its parameter.
fn follow(contour: &mut Vec<[f64; 2]>, controls: &[[f64; 2]], tolerance: f64) {
    let points: Vec<[f64; 2]> = contour.last().into_iter().chain(controls).copied().collect();
    // A chord over 1/k of the curve is off by at most an eighth of its second derivative over k², and that derivative is
    // at most degree (degree - 1) of the second differences of the controls.
    let bends = points.windows(3).map(|three| {
        let [x, y] = [0, 1].map(|axis: usize| three[0][axis] - 2.0 * three[1][axis] + three[2][axis]);
        (x * x + y * y).sqrt()
    });
    let degree = controls.len() as f64;
    let bend = degree * (degree - 1.0) * bends.fold(0.0, f64::max);
    let steps = (bend / (8.0 * tolerance)).sqrt().ceil().max(1.0) as u32;
    contour.extend((1..=steps).map(|step| on_curve(&points, f64::from(step) / f64::from(steps))));
}

/// De Casteljau's construction; the last point exactly where `share` is 1.
fn on_curve(points: &[[f64; 2]], share: f64) -> [f64; 2] {
    let mut points = points.to_vec();
    while points.len() > 1 {
        let between =
            |pair: &[[f64; 2]]| [0, 1].map(|axis: usize| pair[0][axis] * (1.0 - share) + pair[1][axis] * share);
        points = points.windows(2).map(between).collect();
    }
    points.first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_stand_on_the_baseline_and_are_one_high() {
        let letters = lettered("H\nH", 0.0, 0.01).unwrap();
        let heights = |letter: &Letter| {
            let heights = letter.contours.iter().flatten().map(|[_, y]| *y);
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
        };
        assert_eq!(heights(&letters[0]), (0.0, 1.0));
        let (low, high) = heights(&letters[1]);
        assert!((low + LINE).abs() < 1e-12 && (high + LINE - 1.0).abs() < 1e-12, "{low} {high}");
    }

    #[test]
    fn curves_are_followed_within_the_tolerance() {
        // A quarter of a parabola, and a cubic that is a quarter of a circle to 3e-4.
        let k = 0.552_284_749_830_793_4;
        for controls in [vec![[1.0, 0.0], [1.0, 1.0]], vec![[k, 0.0], [1.0, 1.0 - k], [1.0, 1.0]]] {
            for tolerance in [0.1, 0.01, 0.001] {
                let mut contour = vec![[0.0, 0.0]];
                follow(&mut contour, &controls, tolerance);
                let points: Vec<[f64; 2]> = [[0.0, 0.0]].into_iter().chain(controls.iter().copied()).collect();
                let steps = contour.len() - 1;
                for (index, pair) in contour.windows(2).enumerate() {
                    let [x, y] = on_curve(&points, (index as f64 + 0.5) / steps as f64);
                    let (along, off) =
                        ([pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]], [x - pair[0][0], y - pair[0][1]]);
                    let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
                    let distance = (along[0] * off[1] - along[1] * off[0]).abs() / length;
                    assert!(distance <= tolerance, "{distance} at {tolerance}");
                }
                assert_eq!(contour.last(), Some(&[1.0, 1.0]));
            }
        }
    }

    #[test]
    fn what_the_font_lacks_is_named() {
        assert_eq!(lettered("a\u{1F600}b", 0.0, 0.01), Err('\u{1F600}'));
        assert_eq!(lettered("a\tb", 0.0, 0.01), Err('\t'));
    }
}
