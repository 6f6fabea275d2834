// A row of the scene, which is one mesh and one of its surfaces: lit as Bevy lights it, or one fact of it. What the
// surface is like is looked up by the row's number, so that rows share a material and are drawn in their order. Rows
// with textures, a clear coat or no light have texture coordinates (VERTEX_UVS_A); see texture.wgsl.

#import bevy_pbr::{
    forward_io::VertexOutput,
    lighting::{EnvBRDFApprox, F_AB, F_Schlick},
    mesh_bindings::mesh,
    mesh_view_bindings::view,
    pbr_functions::{apply_pbr_lighting, calculate_view},
    pbr_types::{PbrInput, pbr_input_new},
}

struct Look {
    base_color: vec4<f32>,
    // cd/m².
    emissive: vec3<f32>,
    metallic: f32,
    reflectance: vec3<f32>,
    roughness: f32,
    clearcoat: f32,
    clearcoat_roughness: f32,
    // Where alpha is less, nothing is.
    least_alpha: f32,
    flags: u32,
    // 1 + index into the baked meshes.
    mesh_id: u32,
    // Into `slots`.
    first_slot: u32,
}

const UNLIT: u32 = 1u;
const BLENDED: u32 = 2u;

struct Settings {
    // 0 for lit, or one of the constants below.
    output: u32,
    metres_per_unit: f32,
    // cd/m², from all sides.
    environment: vec3<f32>,
}

const LIT: u32 = 0u;
const ALBEDO: u32 = 1u;
const NORMAL: u32 = 2u;
const DEPTH: u32 = 3u;
const MESH_ID: u32 = 4u;

// Alpha of a fact. The background has 1, and what was never drawn has 0.
const FACT_ALPHA: f32 = 2.0;
// What is unlit shows its base colour: it shines as a white of the picture would that had this colour.
const WHITE_CD_M2: f32 = 100.0;

// What a pixel shows of a surface.
struct Shown {
    base_color: vec4<f32>,
    emissive: vec3<f32>,
    metallic: f32,
    roughness: f32,
    // The share of the light from all sides that arrives.
    occlusion: f32,
    // For light; shadows and facts take the mesh's own.
    normal: vec3<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<storage, read> looks: array<Look>;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var<uniform> settings: Settings;

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let look = looks[mesh[in.instance_index].tag];
    let normal = normalize(select(-in.world_normal, in.world_normal, is_front));
    var seen = Shown(look.base_color, look.emissive, look.metallic, look.roughness, 1.0, normal);
#ifdef VERTEX_UVS_A
    let place = Place(
        in.uv,
        dpdx(in.uv),
        dpdy(in.uv),
        dpdx(in.world_position.xyz),
        dpdy(in.world_position.xyz),
    );
    seen.base_color *= slot_value(look, BASE_COLOR, place, true);
    if seen.base_color.a < look.least_alpha {
        discard;
    }
    if (look.flags & BLENDED) == 0u {
        seen.base_color.a = 1.0;
    }
    if settings.output == LIT {
        seen = textured(seen, look, place, is_front);
    }
#endif
    var shown: vec4<f32>;
    switch settings.output {
        case ALBEDO: {
            shown = vec4<f32>(seen.base_color.rgb, FACT_ALPHA);
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
            shown = lit(in, look, seen, normal);
        }
    }
    return shown;
}

// 32 bits as three digits to the base 2048, lowest first: whole numbers that half floats hold exactly.
fn digits(bits: u32) -> vec4<f32> {
    return vec4<f32>(f32(bits & 2047u), f32((bits >> 11u) & 2047u), f32(bits >> 22u), FACT_ALPHA);
}

fn lit(in: VertexOutput, look: Look, seen: Shown, normal: vec3<f32>) -> vec4<f32> {
#ifdef VERTEX_UVS_A
    if (look.flags & UNLIT) != 0u {
        return vec4<f32>(view.exposure * WHITE_CD_M2 * seen.base_color.rgb, seen.base_color.a);
    }
#endif
    var pbr = pbr_input_new();
    pbr.material.base_color = seen.base_color;
    // The fourth is the share of the exposure that counts for it: with all of it, the others are cd/m².
    pbr.material.emissive = vec4<f32>(seen.emissive, 1.0);
    pbr.material.metallic = seen.metallic;
    pbr.material.perceptual_roughness = seen.roughness;
    pbr.material.reflectance = look.reflectance;
    pbr.diffuse_occlusion = vec3<f32>(seen.occlusion);
    pbr.flags = mesh[in.instance_index].flags;
    pbr.frag_coord = in.position;
    pbr.world_position = in.world_position;
    pbr.world_normal = normal;
    pbr.N = seen.normal;
    pbr.is_orthographic = view.clip_from_view[3].w == 1.0;
    pbr.V = calculate_view(in.world_position, pbr.is_orthographic);
#ifdef VERTEX_UVS_A
    pbr.material.clearcoat = look.clearcoat;
    pbr.material.clearcoat_perceptual_roughness = look.clearcoat_roughness;
    // The coat has no part in the normal map of what is below it.
    pbr.clearcoat_N = normal;
#endif
    var light = apply_pbr_lighting(pbr);
    if any(settings.environment > vec3<f32>(0.0)) {
        light += vec4<f32>(view.exposure * surrounded(pbr), 0.0);
    }
    return light;
}

// The light of the environment, cd/m². What is matt shows its base colour's share of it, and so do metals, as in the
// lighting measure; the smoother a dielectric is, the more of it is mirrored.
fn surrounded(pbr: PbrInput) -> vec3<f32> {
    let facing = max(dot(pbr.N, pbr.V), 0.0001);
    let straight_back = 0.16 * pbr.material.reflectance * pbr.material.reflectance;
    // As Bevy has it of its ambient light: what reflects less than 2 % reflects nothing at flat angles either.
    let is_glossy = saturate(dot(straight_back, vec3<f32>(50.0 * 0.33)));
    let smoothness = (1.0 - pbr.material.perceptual_roughness) * (1.0 - pbr.material.metallic);
    let mirrored = EnvBRDFApprox(straight_back, F_AB(pbr.material.perceptual_roughness, facing));
    let gloss = saturate(mirrored * is_glossy * smoothness);
    var share = mix(pbr.material.base_color.rgb, vec3<f32>(1.0), gloss);
#ifdef VERTEX_UVS_A
    let coat = pbr.material.clearcoat * F_Schlick(0.04, 1.0, max(dot(pbr.clearcoat_N, pbr.V), 0.0001));
    share = mix(share, vec3<f32>(1.0), coat);
#endif
    return settings.environment * share * pbr.diffuse_occlusion;
}
