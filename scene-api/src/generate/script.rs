//! Calls of the public tools, with the ids that they will give.

use super::solid::{Form, Solid, metres, point_m};
use super::words::Paint;
use crate::task::LightSort;
use rl_protocol::ToolCall;
use serde_json::{Value, json};

/// Nodes, lights and cameras count together: each is a node.
#[derive(Default)]
pub(super) struct Script {
    calls: Vec<ToolCall>,
    nodes: u32,
    materials: u32,
}

/// What a solid was made of.
pub(super) struct Made {
    pub(super) node: String,
    pub(super) material: Option<String>,
}

impl Script {
    /// The calls so far; ids go on counting.
    pub(super) fn take(&mut self) -> Vec<ToolCall> {
        std::mem::take(&mut self.calls)
    }

    /// All calls, and the one that ends the episode.
    pub(super) fn submitted(mut self) -> Vec<ToolCall> {
        self.call("episode.submit", &json!({}));
        self.calls
    }

    pub(super) fn call(&mut self, name: &str, arguments: &Value) {
        self.calls.push(ToolCall { name: name.into(), arguments_json: arguments.to_string() });
    }

    pub(super) fn material(&mut self, paint: Paint) -> String {
        let [red, green, blue] = paint.rgb;
        self.material_of(&json!({
            "name": paint.word, "base_color": [red, green, blue, 1.0], "roughness": 0.8,
        }))
    }

    /// From all arguments of `material.create`.
    pub(super) fn material_of(&mut self, arguments: &Value) -> String {
        self.call("material.create", arguments);
        self.materials += 1;
        format!("mat_{}", self.materials)
    }

    pub(super) fn node(&mut self, name: &str, parent: Option<&str>, at_mm: [i64; 3]) -> String {
        let mut arguments = json!({ "name": name, "translation": point_m(at_mm) });
        if let Some(parent) = parent {
            arguments["parent"] = json!(parent);
        }
        self.call("node.create", &arguments);
        self.new_node()
    }

    pub(super) fn shape(&mut self, node: &str, form: Form, size_mm: [i64; 3], material: Option<&str>) {
        let mut arguments = json!({ "node": node, "shape": form.shape(size_mm) });
        if let Some(material) = material {
            arguments["material"] = json!(material);
        }
        self.call("mesh.add_primitive", &arguments);
    }

    /// A root node at the solid's centre, with its mesh and, where it has a colour, a material.
    pub(super) fn solid(&mut self, solid: &Solid) -> Made {
        self.solid_below(solid, None, solid.centre_mm)
    }

    /// The same at `at_mm` in the parent's frame.
    pub(super) fn solid_below(&mut self, solid: &Solid, parent: Option<&str>, at_mm: [i64; 3]) -> Made {
        let material = solid.paint.map(|paint| self.material(paint));
        let node = self.node(&solid.name, parent, at_mm);
        self.shape(&node, solid.form, solid.size_mm, material.as_deref());
        Made { node, material }
    }

    pub(super) fn move_to(&mut self, node: &str, at_mm: [i64; 3]) {
        self.call("node.set_transform", &json!({ "node": node, "translation": point_m(at_mm) }));
    }

    pub(super) fn repaint(&mut self, node: &str, paint: Paint) {
        let material = self.material(paint);
        self.call("material.assign", &json!({ "node": node, "material": material }));
    }

    /// `intensity` in candela, or lux of a directional light.
    pub(super) fn light(&mut self, name: &str, sort: LightSort, intensity: f64, at_mm: [i64; 3], target_mm: [i64; 3]) {
        let light = match sort {
            LightSort::Spot => json!({ "kind": "spot", "inner_cone_rad": 0.6, "outer_cone_rad": 1.0 }),
            sort => json!({ "kind": sort.name() }),
        };
        self.call(
            "light.add",
            &json!({
                "name": name, "light": light, "intensity": intensity, "translation": point_m(at_mm),
                "target": point_m(target_mm),
            }),
        );
        self.new_node();
    }

    pub(super) fn camera(&mut self, yfov_deg: f64, at_mm: [i64; 3], target_mm: [i64; 3]) {
        self.call(
            "camera.add",
            &json!({
                "name": "camera", "yfov_deg": yfov_deg, "translation": point_m(at_mm), "target": point_m(target_mm),
            }),
        );
        self.new_node();
    }

    /// One animation with all these channels (of `animation.add_channel`, without the animation).
    pub(super) fn animation(&mut self, channels: Vec<Value>) {
        self.call("animation.create", &json!({ "name": "motion" }));
        for mut channel in channels {
            channel["animation"] = json!("anm_1");
            self.call("animation.add_channel", &channel);
        }
    }

    fn new_node(&mut self) -> String {
        self.nodes += 1;
        format!("n_{}", self.nodes)
    }
}

impl Form {
    /// For `mesh.add_primitive`.
    fn shape(self, size_mm: [i64; 3]) -> Value {
        let [width, height, _] = size_mm;
        let radius_m = metres(width) / 2.0;
        match self {
            Self::Box => json!({ "kind": "box", "size_m": point_m(size_mm) }),
            Self::Cylinder => {
                json!({ "kind": "cylinder", "radius_m": radius_m, "height_m": metres(height), "segments": 32 })
            }
            Self::Cone => json!({ "kind": "cone", "radius_m": radius_m, "height_m": metres(height), "segments": 32 }),
            Self::Ball => json!({ "kind": "uv_sphere", "radius_m": radius_m, "segments": 32, "rings": 16 }),
        }
    }
}
