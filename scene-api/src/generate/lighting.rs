//! Level `lighting`: one or two shapes, lights of given kinds, and a camera at a given place that looks at one of them.

use super::draws::Draws;
use super::script::Script;
use super::solid::{Form, Solid, metres, point_m};
use super::wording::{Unit, all_facts, listed, lit_rules, prompt, quoted};
use super::{Draft, weighing};
use crate::reward::{Profile, relative_luminance};
use crate::task::{LightSort, Statement};

const HALF_MM: i64 = 1500;
const CAMERA_TOLERANCE_M: f64 = 0.05;
const AIM_TOLERANCE_DEG: f64 = 2.0;
const STAGE_WEIGHT: f64 = 2.0;
const YFOV_DEG: f64 = 50.0;
/// Lux on a surface of albedo 1, of the lights beside the camera, to one side, and behind: well exposed, and of enough
/// contrast, for solids of these sizes and colours.
const LUX: [f64; 3] = [30.0, 70.0, 8.0];

const SORTS: [&[LightSort]; 5] = [
    &[LightSort::Point, LightSort::Point],
    &[LightSort::Point, LightSort::Directional],
    &[LightSort::Directional, LightSort::Directional],
    &[LightSort::Spot, LightSort::Point],
    &[LightSort::Point, LightSort::Point, LightSort::Point],
];
const SORTS_HELD_OUT: [&[LightSort]; 2] =
    [&[LightSort::Spot, LightSort::Spot], &[LightSort::Directional, LightSort::Point, LightSort::Point]];

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let solids = solids(draws);
    let sorts = draws.pick_own(&SORTS, &SORTS_HELD_OUT);
    let aimed = draws.below(solids.len());
    let target = &solids[aimed];
    let right = draws.pick(&[-1_i64, 1]);
    let eye_mm = [right * 100 * draws.between(10, 16), 100 * draws.between(11, 16), 100 * draws.between(20, 26)];

    let names: Vec<String> = solids.iter().map(|solid| solid.name.clone()).collect();
    let template = draws.pick_own(
        &["Build {things}, light them and take a picture.", "A lit scene with {things} and a camera is wanted."],
        &["Set the stage: {things}, lamps, and a camera.", "A photograph of {things} is to be prepared."],
    );
    let opening = template.replace("{things}", &listed(&names));
    let mut facts: Vec<String> = Vec::new();
    for solid in &solids {
        facts.extend(all_facts(draws, unit, solid));
    }
    facts.push(lights_fact(draws, sorts));
    facts.push(camera_fact(draws, unit, eye_mm, &target.name));
    let rules = lit_rules(draws, unit, HALF_MM);

    let mut predicates = weighing(1.0, solids.iter().flat_map(Solid::all).collect());
    let mut stage = vec![
        Statement::CameraAt { position_m: point_m(eye_mm), tolerance_m: CAMERA_TOLERANCE_M },
        Statement::CameraAims { object: target.name.clone(), tolerance_deg: AIM_TOLERANCE_DEG },
    ];
    stage.extend([LightSort::Directional, LightSort::Point, LightSort::Spot].map(|light| {
        let count = sorts.iter().filter(|sort| **sort == light).count();
        Statement::Lights { light, count: u32::try_from(count).unwrap_or(u32::MAX) }
    }));
    predicates.extend(weighing(STAGE_WEIGHT, stage));

    let mut script = Script::default();
    for solid in &solids {
        script.solid(solid);
    }
    light(&mut script, &solids, sorts, eye_mm, target.centre_mm);
    script.camera(YFOV_DEG, eye_mm, target.centre_mm);
    Draft {
        profile: Profile::r3d_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, &opening, facts, &rules),
        objects: solids.iter().map(Solid::spec).collect(),
        predicates,
        setup: Vec::new(),
        solution: script.submitted(),
    }
}

/// One near the origin, or one on each side of it.
fn solids(draws: &mut Draws) -> Vec<Solid> {
    let middles_mm = draws.pick(&[[0_i64, 0], [-500, 500]]);
    let count = if middles_mm == [0, 0] { 1 } else { 2 };
    let names = draws.names(count);
    names
        .into_iter()
        .zip(middles_mm)
        .map(|(name, middle_mm)| {
            let [x_mm, z_mm] = [(); 2].map(|()| 100 * draws.between(-1, 1));
            let paint = draws.middling_paint();
            Solid::draw(draws, name, &Form::FLAT, 45, 75).standing_at(middle_mm + x_mm, 0, z_mm).painted(paint)
        })
        .collect()
}

fn lights_fact(draws: &mut Draws, sorts: &[LightSort]) -> String {
    let counted = |sort: LightSort| match sorts.iter().filter(|other| **other == sort).count() {
        0 => None,
        1 => Some(format!("one {} light", sort.name())),
        count => Some(format!("{count} {} lights", sort.name())),
    };
    let all: Vec<String> =
        [LightSort::Directional, LightSort::Point, LightSort::Spot].into_iter().filter_map(counted).collect();
    let template = draws.pick_own(
        &["There are {lights} and no others.", "Light it by exactly {lights}.", "Use {lights}, no more."],
        &["{lights} do the lighting, nothing else.", "All light comes from {lights}."],
    );
    template.replace("{lights}", &all.join(" and "))
}

fn camera_fact(draws: &mut Draws, unit: Unit, eye_mm: [i64; 3], target: &str) -> String {
    let template = draws.pick_own(
        &[
            "The camera is at {at} and looks at the middle of {name}.",
            "From {at} a camera (the active one) is aimed at the centre of {name}.",
        ],
        &["Look through a camera at {at}; the middle of its picture shows the centre of {name}."],
    );
    template.replace("{at}", &unit.point(eye_mm)).replace("{name}", &quoted(target))
}

/// Brightness goes by what the solids reflect.
fn light(script: &mut Script, solids: &[Solid], sorts: &[LightSort], eye_mm: [i64; 3], target_mm: [i64; 3]) {
    let albedo = albedo(solids);
    let right = eye_mm[0].signum();
    let places_mm = [eye_mm, [-right * 2000, 2800, 1600], [right * 2400, 2200, -600]];
    for (((sort, at_mm), lux), number) in sorts.iter().zip(places_mm).zip(LUX).zip(1..) {
        let square_m2: f64 = at_mm.iter().zip(target_mm).map(|(at, to)| metres(at - to) * metres(at - to)).sum();
        let intensity = match sort {
            LightSort::Directional => lux / albedo,
            LightSort::Point | LightSort::Spot => lux / albedo * square_m2,
        };
        script.light(&format!("light_{number}"), *sort, intensity.round(), at_mm, target_mm);
    }
}

/// Geometric mean of the solids' luminance.
fn albedo(solids: &[Solid]) -> f64 {
    let logs = solids.iter().filter_map(|solid| solid.paint).map(|paint| libm::log(relative_luminance(paint.rgb)));
    libm::exp(logs.sum::<f64>() / solids.len().max(1) as f64)
}
