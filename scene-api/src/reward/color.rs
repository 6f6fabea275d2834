//! How different two colours look: CIEDE2000 (Sharma, Wu, Dalal 2005) between linear sRGB colours, white D65.

use libm::{atan2, cbrt, cos, exp, fabs, pow, sin, sqrt};
use std::f64::consts::{PI, TAU};

/// CIELAB of a linear sRGB colour.
pub(crate) fn lab([r, g, b]: [f64; 3]) -> [f64; 3] {
    let x = 0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b;
    let y = 0.212_672_9 * r + 0.715_152_2 * g + 0.072_175_0 * b;
    let z = 0.019_333_9 * r + 0.119_192_0 * g + 0.950_304_1 * b;
    let f = |t: f64| if t > 216.0 / 24_389.0 { cbrt(t) } else { (24_389.0 / 27.0 * t + 16.0) / 116.0 };
    let (fx, fy, fz) = (f(x / 0.950_47), f(y), f(z / 1.088_83));
    [116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz)]
}

/// ΔE00 with all weights 1; about 1 is just noticeable.
pub(crate) fn delta_e_2000(first: [f64; 3], second: [f64; 3]) -> f64 {
    let ([l1, a1, b1], [l2, a2, b2]) = (first, second);
    let chroma = |a: f64, b: f64| sqrt(a * a + b * b);
    let to_7 = |c: f64| pow(c, 7.0);
    let damping = |c: f64| sqrt(to_7(c) / (to_7(c) + to_7(25.0)));

    let g = 0.5 * (1.0 - damping((chroma(a1, b1) + chroma(a2, b2)) / 2.0));
    let (a1, a2) = (a1 * (1.0 + g), a2 * (1.0 + g));
    let (c1, c2) = (chroma(a1, b1), chroma(a2, b2));
    let hue = |a: f64, b: f64| if a == 0.0 && b == 0.0 { 0.0 } else { (atan2(b, a) + TAU) % TAU };
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let grey = c1 * c2 == 0.0;

    let turn = match h2 - h1 {
        _ if grey => 0.0,
        turn if turn > PI => turn - TAU,
        turn if turn < -PI => turn + TAU,
        turn => turn,
    };
    let (delta_l, delta_c) = (l2 - l1, c2 - c1);
    let delta_h = 2.0 * sqrt(c1 * c2) * sin(turn / 2.0);

    let (mean_l, mean_c) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
    let mean_h = match h1 + h2 {
        sum if grey => sum,
        sum if fabs(h1 - h2) <= PI => sum / 2.0,
        sum if sum < TAU => sum / 2.0 + PI,
        sum => sum / 2.0 - PI,
    };
    let degrees = |d: f64| d * PI / 180.0;
    let t =
        1.0 - 0.17 * cos(mean_h - degrees(30.0)) + 0.24 * cos(2.0 * mean_h) + 0.32 * cos(3.0 * mean_h + degrees(6.0))
            - 0.20 * cos(4.0 * mean_h - degrees(63.0));
    let lightness = (mean_l - 50.0) * (mean_l - 50.0);
    let s_l = 1.0 + 0.015 * lightness / sqrt(20.0 + lightness);
    let s_c = 1.0 + 0.045 * mean_c;
    let s_h = 1.0 + 0.015 * mean_c * t;
    let blue = (mean_h - degrees(275.0)) / degrees(25.0);
    let rotation = -2.0 * damping(mean_c) * sin(degrees(60.0) * exp(-blue * blue));

    let (l, c, h) = (delta_l / s_l, delta_c / s_c, delta_h / s_h);
    sqrt((l * l + c * c + h * h + rotation * c * h).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs 1, 7, 15, 17 and 25 of the test data published with the formula.
    #[test]
    fn published_pairs_are_reproduced() {
        for (first, second, expected) in [
            ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
            ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
            ([50.0, -0.0010, 2.4900], [50.0, 0.0011, -2.4900], 4.7461),
            ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
            ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ] {
            let found = delta_e_2000(first, second);
            assert!((found - expected).abs() < 1e-4, "{first:?} {second:?}: {found}, not {expected}");
        }
    }

    #[test]
    fn white_is_lightness_100_without_colour() {
        let [l, a, b] = lab([1.0; 3]);
        assert!((l - 100.0).abs() < 1e-4 && a.abs() < 0.01 && b.abs() < 0.01, "{l} {a} {b}");
    }
}
