//! What became of one file, as text for people and as JSON for programs.

use anyhow::Result;
use renderer::{Picture, Pixels};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(super) struct Drawn {
    pub(super) picture: Picture,
    /// The name of the camera's node; `None` where the file has no camera.
    pub(super) camera: Option<String>,
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
    /// Row and column on the contact sheet.
    pub(super) cell: Option<[usize; 2]>,
    pub(super) drawn: Result<Drawn>,
}

impl Row {
    /// `None` where nothing was drawn: errors are told elsewhere.
    pub(super) fn text(&self) -> Option<String> {
        let Drawn { picture, camera, notes } = self.drawn.as_ref().ok()?;
        let place = match self.cell {
            Some(_) => self.file.display().to_string(),
            None => format!("wrote {}", self.out.display()),
        };
        let camera = camera.as_deref().map_or("no camera in the file".into(), |name| format!("camera {name:?}"));
        let mut text = format!(
            "{place}: {}×{}, {camera}, lit {}, {}",
            picture.width, picture.height, picture.lit_by, picture.adapter
        );
        for note in notes {
            text.push_str(&format!("\n  note: {note}"));
        }
        Some(text)
    }

    fn json(&self) -> Value {
        let mut row = json!({ "file": self.file.display().to_string(), "out": null, "width": null, "height": null,
            "camera": null, "lit_by": null, "adapter": null, "notes": [], "error": null });
        match &self.drawn {
            Ok(Drawn { picture, camera, notes }) => {
                row["out"] = json!(self.out.display().to_string());
                row["width"] = json!(picture.width);
                row["height"] = json!(picture.height);
                row["camera"] = json!(camera);
                row["lit_by"] = json!(picture.lit_by);
                row["adapter"] = json!(picture.adapter.to_string());
                row["notes"] = json!(notes);
            }
            Err(error) => row["error"] = json!(format!("{error:#}")),
        }
        if let Some(cell) = self.cell {
            row["cell"] = json!(cell);
        }
        row
    }
}

/// A list, in the order of the files.
pub(super) fn json(rows: &[Row]) -> Result<String> {
    Ok(serde_json::to_string_pretty(&rows.iter().map(Row::json).collect::<Vec<_>>())?)
}
