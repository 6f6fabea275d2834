// A row of the scene, which is one mesh and one of its surfaces: lit as Bevy lights it, or one fact of it. What the
// surface is like is looked up by the row's number, so that rows share a material and are drawn in their order.

#import bevy_pbr::{
    forward_io::VertexOutput,
    mesh_bindings::mesh,
    mesh_view_bindings::view,
    pbr_functions::{apply_pbr_lighting, calculate_view},
    pbr_types::pbr_input_new,
}

struct Look {
    base_color: vec4<f32>,
    // cd/m².
    emissive: vec3<f32>,
    metallic: f32,
    roughness: f32,
    // 1 + index into the baked meshes.
    mesh_id: u32,
}

struct Settings {
    // 0 for lit, or one of the constants below.
    output: u32,
    metres_per_unit: f32,
}

const ALBEDO: u32 = 1u;
const NORMAL: u32 = 2u;
const DEPTH: u32 = 3u;
const MESH_ID: u32 = 4u;

// Alpha of a fact. The background has 1, and what was never drawn has 0.
const FACT_ALPHA: f32 = 2.0;

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<storage, read> looks: array<Look>;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var<uniform> settings: Settings;

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let look = looks[mesh[in.instance_index].tag];
    let normal = normalize(select(-in.world_normal, in.world_normal, is_front));
    var shown: vec4<f32>;
    switch settings.output {
        case ALBEDO: {
            shown = vec4<f32>(look.base_color.rgb, FACT_ALPHA);
        }
        case NORMAL: {
            shown = vec4<f32>(normal, FACT_ALPHA);
        }
        case DEPTH: {
            let depth = -(view.view_from_world * in.world_position).z;
            shown = digits(bitcast<u32>(depth * settings.metres_per_unit));
        }
        case MESH_ID: {
            shown = digits(look.mesh_id);
        }
        default: {
            shown = lit(in, look, normal);
        }
    }
    return shown;
}

// 32 bits as three digits to the base 2048, lowest first: whole numbers that half floats hold exactly.
fn digits(bits: u32) -> vec4<f32> {
    return vec4<f32>(f32(bits & 2047u), f32((bits >> 11u) & 2047u), f32(bits >> 22u), FACT_ALPHA);
}

fn lit(in: VertexOutput, look: Look, normal: vec3<f32>) -> vec4<f32> {
    var pbr = pbr_input_new();
    pbr.material.base_color = look.base_color;
    // The fourth is the share of the exposure that counts for it: with all of it, the others are cd/m².
    pbr.material.emissive = vec4<f32>(look.emissive, 1.0);
    pbr.material.metallic = look.metallic;
    pbr.material.perceptual_roughness = look.roughness;
    pbr.flags = mesh[in.instance_index].flags;
    pbr.frag_coord = in.position;
    pbr.world_position = in.world_position;
    pbr.world_normal = normal;
    pbr.N = normal;
    pbr.is_orthographic = view.clip_from_view[3].w == 1.0;
    pbr.V = calculate_view(in.world_position, pbr.is_orthographic);
    return apply_pbr_lighting(pbr);
}
