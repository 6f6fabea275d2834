//! Learning curves as a picture: rewards of the steps, their running mean, evaluations, and what random calls are worth.

use super::line::Line;
use super::progress::EMA;
use epaint_default_fonts::UBUNTU_LIGHT;
use plotters::prelude::*;
use plotters::style::register_font;
use std::error::Error;

const SIZE: (u32, u32) = (960, 600);
const FONT: &str = "sans-serif";

/// One run on a picture.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    pub label: &'a str,
    pub lines: &'a [Line],
}

#[derive(Debug, thiserror::Error)]
pub enum CurveError {
    #[error("the font of the curve cannot be read")]
    Font,
    #[error("the curve cannot be drawn: {0}")]
    Draw(String),
    #[error("the curve cannot be written: {0}")]
    Png(#[from] png::EncodingError),
}

impl<E: Error + Send + Sync> From<DrawingAreaErrorKind<E>> for CurveError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self::Draw(error.to_string())
    }
}

/// A PNG of 960 × 600 pixels: updates along x, rewards from 0 to 1 along y.
pub fn curve(title: &str, runs: &[Run]) -> Result<Vec<u8>, CurveError> {
    register_font(FONT, FontStyle::Normal, UBUNTU_LIGHT).map_err(|_| CurveError::Font)?;
    let mut pixels = vec![0_u8; SIZE.0 as usize * SIZE.1 as usize * 3];
    draw(title, runs, &mut pixels)?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}

fn draw(title: &str, runs: &[Run], pixels: &mut [u8]) -> Result<(), CurveError> {
    let all = |run: &Run| rewards(run.lines).into_iter().chain(held_out(run.lines));
    let steps = runs.iter().flat_map(all).map(|(step, _)| step).fold(1.0, f64::max);
    let root = BitMapBackend::with_buffer(pixels, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, (FONT, 22))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..steps, 0.0..1.0)?;
    chart
        .configure_mesh()
        .x_desc("updates")
        .y_desc("reward")
        .label_style((FONT, 14))
        .axis_desc_style((FONT, 16))
        .light_line_style(WHITE)
        .draw()?;
    for (index, run) in runs.iter().enumerate() {
        let color = Palette99::pick(index).mix(1.0);
        let points = rewards(run.lines);
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 2, color.mix(0.3).filled())))?;
        chart
            .draw_series(LineSeries::new(running_mean(&points), color.stroke_width(2)))?
            .label(run.label)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], color.stroke_width(2)));
        let held_out = held_out(run.lines);
        if !held_out.is_empty() {
            chart
                .draw_series(held_out.iter().map(|&point| Circle::new(point, 5, color.stroke_width(2))))?
                .label(format!("{}, held out", run.label))
                .legend(move |(x, y)| Circle::new((x + 10, y), 5, color.stroke_width(2)));
        }
    }
    if let Some(random) = runs.iter().find_map(|run| random(run.lines)) {
        chart
            .draw_series(DashedLineSeries::new(vec![(0.0, random), (steps, random)], 6, 4, BLACK.stroke_width(1)))?
            .label("random calls, held out")
            .legend(|(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], BLACK.stroke_width(1)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font((FONT, 14))
        .draw()?;
    root.present()?;
    Ok(())
}

/// (updates, mean reward) of each step.
fn rewards(lines: &[Line]) -> Vec<(f64, f64)> {
    let of_step = |line: &Line| match line {
        Line::Step(step) => Some((step.step as f64, step.reward.mean)),
        _ => None,
    };
    lines.iter().filter_map(of_step).collect()
}

fn held_out(lines: &[Line]) -> Vec<(f64, f64)> {
    let of_evaluation = |line: &Line| match line {
        Line::Evaluation(evaluation) => Some((evaluation.step as f64, evaluation.reward)),
        _ => None,
    };
    lines.iter().filter_map(of_evaluation).collect()
}

fn random(lines: &[Line]) -> Option<f64> {
    lines.iter().find_map(|line| match line {
        Line::Random(evaluation) => Some(evaluation.reward),
        _ => None,
    })
}

fn running_mean(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut mean = None;
    let smooth = |&(step, reward): &(f64, f64)| {
        let next = mean.map_or(reward, |old: f64| old + EMA * (reward - old));
        mean = Some(next);
        (step, next)
    };
    points.iter().map(smooth).collect()
}
