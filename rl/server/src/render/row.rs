//! What became of one file, as text for people and as JSON for programs.

use super::legend::Legend;
use anyhow::Result;
use renderer::{Picture, Pixels};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(super) struct Drawn {
    pub(super) picture: Picture,
    /// The name of the camera's node; `None` where the file has no camera.
    pub(super) camera: Option<String>,
    pub(super) legend: Option<Legend>,
    /// What the picture does not show.
    pub(super) notes: Vec<String>,
}

impl Drawn {
    /// All but the pixels, so that a thousand files need no more memory than one.
    pub(super) fn without_pixels(self) -> Self {
        Self { picture: Picture { pixels: Pixels::Srgb(Vec::new()), ..self.picture }, ..self }
    }
}

pub(super) struct Row {
    pub(super) file: PathBuf,
    pub(super) out: PathBuf,
    /// Row and column on the contact sheet, from 1.
    pub(super) cell: Option<[usize; 2]>,
    pub(super) drawn: Result<Drawn>,
}

impl Row {
    /// For people, without the notes and errors, which are told elsewhere.
    pub(super) fn lines(&self) -> Vec<String> {
        let place = match self.cell {
            Some([row, column]) => format!("row {row}, column {column}: {}", self.file.display()),
            None => format!("wrote {}", self.out.display()),
        };
        let Ok(Drawn { picture, camera, legend, .. }) = &self.drawn else {
            return self.cell.map(|_| format!("{place} (not drawn)")).into_iter().collect();
        };
        let camera = camera.as_deref().map_or("no camera in the file".into(), |name| format!("camera {name:?}"));
        let line = format!(
            "{place}: {}×{}, {camera}, lit {}, {}",
            picture.width, picture.height, picture.lit_by, picture.adapter
        );
        std::iter::once(line).chain(legend.iter().flat_map(Legend::lines)).collect()
    }

    fn json(&self) -> Value {
        let mut row = json!({ "file": self.file.display().to_string(), "out": null, "width": null, "height": null,
            "camera": null, "lit_by": null, "adapter": null, "legend": null, "notes": [], "error": null });
        match &self.drawn {
            Ok(Drawn { picture, camera, legend, notes }) => {
                row["out"] = json!(self.out.display().to_string());
                row["width"] = json!(picture.width);
                row["height"] = json!(picture.height);
                row["camera"] = json!(camera);
                row["lit_by"] = json!(picture.lit_by);
                row["adapter"] = json!(picture.adapter.to_string());
                row["legend"] = json!(legend.as_ref().map(Legend::json));
                row["notes"] = json!(notes);
            }
            Err(error) => row["error"] = json!(format!("{error:#}")),
        }
        if let Some([sheet_row, sheet_column]) = self.cell {
            row["row"] = json!(sheet_row);
            row["column"] = json!(sheet_column);
        }
        row
    }
}

/// A list, in the order of the files.
pub(super) fn json(rows: &[Row]) -> Result<String> {
    Ok(serde_json::to_string_pretty(&rows.iter().map(Row::json).collect::<Vec<_>>())?)
}
