//! `texture.create`: an image, made from a few numbers or given as a file.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::label::label;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use scene_document::{Edit, Filter, Image, ImageError, Pattern, Recipe, Sampler, Wrap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "texture.create",
    group: Group::Texture,
    description: "Makes a texture from a pattern, or from a PNG or JPEG file, and returns its id; put it into a \
                  material with material.set_texture. Checkers and noise tile without a seam. A scene \
                  holds 32 textures, 8 MiB of files; pictures draw 16 Mi texels of them.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// 1 to 128 characters.
    #[schemars(length(min = 1, max = 128))]
    name: String,
    /// What it shows.
    image: ImageArgs,
    /// What is beyond the image's edges; default `repeat`.
    wrap: Option<WrapArgs>,
    /// How texels are mixed; default `linear`.
    filter: Option<FilterArgs>,
}

/// Colours are red, green, blue in [0, 1] as the file holds them.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum ImageArgs {
    /// Squares of two colours.
    Checker {
        /// Of each side: a power of two, 1 to 1024.
        #[schemars(range(min = 1, max = 1024))]
        size_px: u32,
        /// Along each side, 1 to `size_px`.
        #[schemars(range(min = 1, max = 1024))]
        squares: u32,
        /// Of the upper left square. sRGB-encoded for a base colour or an emission, plain numbers in other slots.
        #[schemars(inner(range(min = 0, max = 1)))]
        color_a: [f64; 3],
        /// Like `color_a`.
        #[schemars(inner(range(min = 0, max = 1)))]
        color_b: [f64; 3],
    },
    /// From one colour to another.
    Gradient {
        /// Of each side: a power of two, 1 to 1024.
        #[schemars(range(min = 1, max = 1024))]
        size_px: u32,
        /// `u` from left to right, `v` from top to bottom.
        along: DirectionArgs,
        /// At the beginning. sRGB-encoded for a base colour or an emission, plain numbers in other slots.
        #[schemars(inner(range(min = 0, max = 1)))]
        color_a: [f64; 3],
        /// At the end, like `color_a`.
        #[schemars(inner(range(min = 0, max = 1)))]
        color_b: [f64; 3],
    },
    /// Soft spots of four sizes.
    Noise {
        /// Of each side: a power of two, 1 to 1024.
        #[schemars(range(min = 1, max = 1024))]
        size_px: u32,
        /// Of the largest spots, along each side, 1 to `size_px`.
        #[schemars(range(min = 1, max = 1024))]
        cells: u32,
        /// Another one gives other spots; default 0.
        seed: Option<u32>,
        /// sRGB-encoded for a base colour or an emission, plain numbers in other slots.
        #[schemars(inner(range(min = 0, max = 1)))]
        color_a: [f64; 3],
        /// Like `color_a`.
        #[schemars(inner(range(min = 0, max = 1)))]
        color_b: [f64; 3],
    },
    /// A file.
    File {
        /// A PNG or JPEG of at most 2048 pixels a side, in base64.
        data_base64: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DirectionArgs {
    U,
    V,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum WrapArgs {
    Repeat,
    MirroredRepeat,
    ClampToEdge,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FilterArgs {
    Linear,
    Nearest,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let name = label("/name", &args.name)?;
    let wrap = match args.wrap {
        None | Some(WrapArgs::Repeat) => Wrap::Repeat,
        Some(WrapArgs::MirroredRepeat) => Wrap::MirroredRepeat,
        Some(WrapArgs::ClampToEdge) => Wrap::ClampToEdge,
    };
    let filter = match args.filter {
        None | Some(FilterArgs::Linear) => Filter::Linear,
        Some(FilterArgs::Nearest) => Filter::Nearest,
    };
    let sampler = Sampler { wrap_u: wrap, wrap_v: wrap, filter };
    let image = Arc::new(image(args.image)?);
    let (size_px, bytes) = (image.size_px(), image.bytes().len());
    let applied = edit(&workspace.scene, Edit::CreateTexture { name, image, sampler }, same_name)?;
    let result = json!({"texture": applied.changed.textures.last(), "size_px": size_px, "bytes": bytes});
    Ok(edited(applied, result))
}

fn image(args: ImageArgs) -> Result<Image, ToolError> {
    let (pattern, size_px, colors) = match args {
        ImageArgs::Checker { size_px, squares, color_a, color_b } => {
            (Pattern::Checker { squares }, size_px, [color_a, color_b])
        }
        ImageArgs::Gradient { size_px, along, color_a, color_b } => {
            (Pattern::Gradient { along_v: along == DirectionArgs::V }, size_px, [color_a, color_b])
        }
        ImageArgs::Noise { size_px, cells, seed, color_a, color_b } => {
            (Pattern::Noise { cells, seed: seed.unwrap_or(0) }, size_px, [color_a, color_b])
        }
        ImageArgs::File { data_base64 } => return file(&data_base64),
    };
    Recipe { pattern, size_px, colors }.image().map_err(|error| refused(&error))
}

fn file(data_base64: &str) -> Result<Image, ToolError> {
    let refuse = |message: String, allowed: &str| {
        ToolError::new(ErrorCode::InvalidArgument, "/image/data_base64", message).given(data_base64).allowed(allowed)
    };
    if data_base64.is_empty() {
        return Err(refuse("the file is empty".into(), "a PNG or JPEG file in base64"));
    }
    if data_base64.starts_with("data:") {
        return Err(refuse("a data URI, not base64 alone".into(), "what follows its comma"));
    }
    let bytes = STANDARD.decode(data_base64).map_err(|error| {
        refuse(format!("not base64: {error}"), "base64 with the alphabet A–Z a–z 0–9 + / and its padding")
    })?;
    Image::new(bytes).map_err(|error| refused(&error))
}

fn refused(error: &ImageError) -> ToolError {
    let new = |code, member: &str| ToolError::new(code, format!("/image/{member}"), error.to_string());
    match error {
        ImageError::UnknownFormat => new(ErrorCode::Unsupported, "data_base64").allowed("a PNG or JPEG file"),
        ImageError::Broken { media_type, .. } => {
            new(ErrorCode::InvalidArgument, "data_base64").given(media_type.name()).allowed("a whole file")
        }
        ImageError::Unsupported { media_type, .. } => new(ErrorCode::Unsupported, "data_base64")
            .given(media_type.name())
            .allowed("a PNG, or a baseline or progressive JPEG of 8 bits"),
        ImageError::TooLarge { width, height, most } => new(ErrorCode::LimitExceeded, "data_base64")
            .given(json!([width, height]))
            .allowed(format!("at most {most} pixels a side")),
        ImageError::OutOfRange { what, given, allowed } => {
            new(ErrorCode::OutOfRange, what).given(*given).allowed(*allowed)
        }
    }
}
