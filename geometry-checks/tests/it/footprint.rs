use geometry_checks::outside_share;

const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn the_area_outside_counts() {
    assert_eq!(outside_share(&SQUARE, [-1.0, -1.0], [2.0, 2.0]), 0.0);
    assert_eq!(outside_share(&SQUARE, [0.0, 0.0], [1.0, 1.0]), 0.0);
    assert!(near(outside_share(&SQUARE, [0.5, -1.0], [2.0, 2.0]), 0.5));
    assert!(near(outside_share(&SQUARE, [0.25, 0.25], [0.75, 0.75]), 0.75));
    assert_eq!(outside_share(&SQUARE, [2.0, 2.0], [3.0, 3.0]), 1.0);
    let triangle = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];
    assert!(near(outside_share(&triangle, [0.0, -1.0], [1.0, 3.0]), 0.25));
}

#[test]
fn only_the_hull_matters() {
    let mut points = SQUARE.to_vec();
    points.extend([[0.5, 0.5], [0.25, 0.0], [0.0, 0.0], [0.9, 0.1], [f64::NAN, 7.0]]);
    points.reverse();
    assert!(near(outside_share(&points, [0.5, -1.0], [2.0, 2.0]), 0.5));
}

#[test]
fn footprints_without_area_are_judged_by_length_or_place() {
    let line = [[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]];
    assert!(near(outside_share(&line, [0.0, 0.0], [0.5, 9.0]), 0.75));
    assert_eq!(outside_share(&line, [3.0, 3.0], [4.0, 4.0]), 1.0);
    assert_eq!(outside_share(&[[1.0, 1.0]], [0.0, 0.0], [1.0, 1.0]), 0.0);
    assert_eq!(outside_share(&[[1.0, 1.1], [1.0, 1.1]], [0.0, 0.0], [1.0, 1.0]), 1.0);
    assert_eq!(outside_share(&[], [0.0, 0.0], [1.0, 1.0]), 0.0);
}
