//! What each buffer view and accessor is used for: one use each, and a stride where vertex accessors share a view.

use super::document::Document;
use super::report::Report;
use ::gltf::json::buffer::Target;
use std::collections::BTreeSet;

#[derive(Debug)]
pub(super) struct Usage {
    views: Vec<Option<&'static str>>,
    accessors: Vec<Option<&'static str>>,
    /// Vertex accessors of each view without a stride.
    unstrided: Vec<BTreeSet<usize>>,
}

impl Usage {
    pub(super) fn new(document: &Document) -> Self {
        let by_target = |target: &Target| match target {
            Target::ArrayBuffer => "VertexBuffer",
            Target::ElementArrayBuffer => "IndexBuffer",
        };
        let views = document.views.iter().map(|view| view.as_ref()?.target.as_ref().map(by_target)).collect();
        Self {
            views,
            accessors: vec![None; document.accessors.len()],
            unstrided: vec![BTreeSet::new(); document.views.len()],
        }
    }

    pub(super) fn view(&mut self, view: usize, purpose: &'static str, pointer: &str, report: &mut Report) {
        let Some(previous) = self.views.get_mut(view) else { return };
        match *previous.get_or_insert(purpose) {
            initial if initial == purpose => {}
            initial => {
                let message = format!(
                    "Override of previously set bufferView target or usage. Initial: '{initial}', new: '{purpose}'."
                );
                report.error("BUFFER_VIEW_TARGET_OVERRIDE", pointer, message);
            }
        }
    }

    pub(super) fn accessor(&mut self, accessor: usize, purpose: &'static str, pointer: &str, report: &mut Report) {
        let Some(previous) = self.accessors.get_mut(accessor) else { return };
        match *previous.get_or_insert(purpose) {
            initial if initial == purpose => {}
            initial => {
                let message =
                    format!("Override of previously set accessor usage. Initial: '{initial}', new: '{purpose}'.");
                report.error("ACCESSOR_USAGE_OVERRIDE", pointer, message);
            }
        }
    }

    /// A vertex accessor reads from a view that gives no stride.
    pub(super) fn unstrided(&mut self, view: usize, accessor: usize, pointer: &str, report: &mut Report) {
        let Some(accessors) = self.unstrided.get_mut(view) else { return };
        if accessors.insert(accessor) && accessors.len() > 1 {
            let message = "bufferView.byteStride must be defined when two or more accessors use the same buffer view.";
            report.error("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", pointer, message);
        }
    }
}
