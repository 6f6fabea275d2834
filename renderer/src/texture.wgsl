
// Textures, sampled by hand from one list of texels, so that rows with different ones share a material.
#ifdef VERTEX_UVS_A

// An image in the list, and how it is sampled.
struct Slot {
    // Of the image itself in `texels`; its smaller levels follow, each half as wide and high, row by row.
    first: u32,
    width: u32,
    height: u32,
    // 0 for an empty slot.
    levels: u32,
    // Rows of the transform of texture coordinates.
    u: vec3<f32>,
    // Two bits each for how u and v go on beyond the image, then one for the filter.
    sampling: u32,
    v: vec3<f32>,
    // Scale of a normal, strength of an occlusion.
    amount: f32,
}

const BASE_COLOR: u32 = 0u;
const METALLIC_ROUGHNESS: u32 = 1u;
const NORMAL_MAP: u32 = 2u;
const OCCLUSION: u32 = 3u;
const EMISSIVE: u32 = 4u;

const MIRRORED_REPEAT: u32 = 1u;
const CLAMP_TO_EDGE: u32 = 2u;
const NEAREST: u32 = 16u;

@group(#{MATERIAL_BIND_GROUP}) @binding(2) var<storage, read> slots: array<Slot>;
// RGBA bytes, red lowest.
@group(#{MATERIAL_BIND_GROUP}) @binding(3) var<storage, read> texels: array<u32>;

// Texture coordinates and world position of a pixel, and their change to the pixel on the right and to the one below.
struct Place {
    uv: vec2<f32>,
    uv_right: vec2<f32>,
    uv_down: vec2<f32>,
    right: vec3<f32>,
    down: vec3<f32>,
}

struct Level {
    first: u32,
    width: u32,
    height: u32,
}

// `seen` with all textures but the base colour's.
fn textured(seen: Shown, look: Look, place: Place, is_front: bool) -> Shown {
    var shown = seen;
    let metal = slot_value(look, METALLIC_ROUGHNESS, place, false);
    shown.roughness *= metal.g;
    shown.metallic *= metal.b;
    let occlusion = slots[look.first_slot + OCCLUSION];
    if occlusion.levels > 0u {
        shown.occlusion = 1.0 + occlusion.amount * (sampled(occlusion, place, false).r - 1.0);
    }
    shown.emissive *= slot_value(look, EMISSIVE, place, true).rgb;
    let bumps = slots[look.first_slot + NORMAL_MAP];
    if bumps.levels > 0u {
        let tangent = (sampled(bumps, place, false).xyz * 2.0 - 1.0) * vec3<f32>(bumps.amount, bumps.amount, 1.0);
        shown.normal = mapped(seen.normal, tangent, place, is_front);
    }
    return shown;
}

// 1 where the slot is empty.
fn slot_value(look: Look, index: u32, place: Place, is_srgb: bool) -> vec4<f32> {
    let slot = slots[look.first_slot + index];
    if slot.levels == 0u {
        return vec4<f32>(1.0);
    }
    return sampled(slot, place, is_srgb);
}

// A tangent-space normal in the world: x goes with u, y against v (the image's up). The axes are the gradients of u and
// v on the surface, from neighbouring pixels (C. Schüler, "Normal mapping without precomputed tangents", 2013);
// transforms of texture coordinates do not turn them. From behind it is turned round as the mesh's normal is.
fn mapped(normal: vec3<f32>, given: vec3<f32>, place: Place, is_front: bool) -> vec3<f32> {
    // `normal` looks to the viewer and `down` goes down the picture, so these are right-handed.
    let along_right = cross(normal, place.down);
    let along_down = cross(place.right, normal);
    let along_u = along_right * place.uv_right.x + along_down * place.uv_down.x;
    let along_v = along_right * place.uv_right.y + along_down * place.uv_down.y;
    let longest = max(dot(along_u, along_u), dot(along_v, along_v));
    if longest <= 0.0 {
        return normal;
    }
    let side = select(-1.0, 1.0, is_front) * inverseSqrt(longest);
    return normalize(side * (along_u * given.x - along_v * given.y) + normal * given.z);
}

fn sampled(slot: Slot, place: Place, is_srgb: bool) -> vec4<f32> {
    let size = vec2<f32>(f32(slot.width), f32(slot.height));
    let right = vec2<f32>(dot(slot.u.xy, place.uv_right), dot(slot.v.xy, place.uv_right)) * size;
    let down = vec2<f32>(dot(slot.u.xy, place.uv_down), dot(slot.v.xy, place.uv_down)) * size;
    let texels_per_pixel = max(max(length(right), length(down)), 1.0);
    let level = min(log2(texels_per_pixel), f32(slot.levels - 1u));
    let uv = vec2<f32>(
        within(dot(slot.u, vec3<f32>(place.uv, 1.0)), slot.sampling & 3u),
        within(dot(slot.v, vec3<f32>(place.uv, 1.0)), (slot.sampling >> 2u) & 3u),
    );
    if (slot.sampling & NEAREST) != 0u {
        let nearest = level_of(slot, u32(level + 0.5));
        let at = vec2<i32>(floor(uv * vec2<f32>(f32(nearest.width), f32(nearest.height))));
        return texel(slot, nearest, at, is_srgb);
    }
    let fine = u32(level);
    let share = level - f32(fine);
    let sharp = mixed(slot, level_of(slot, fine), uv, is_srgb);
    if share == 0.0 {
        return sharp;
    }
    return mix(sharp, mixed(slot, level_of(slot, fine + 1u), uv, is_srgb), share);
}

// A coordinate in [0, 1], or in [0, 2] of an image that is mirrored, so that whole numbers of texels are small.
fn within(coordinate: f32, wrap: u32) -> f32 {
    if wrap == CLAMP_TO_EDGE {
        return clamp(coordinate, 0.0, 1.0);
    }
    if wrap == MIRRORED_REPEAT {
        return coordinate - 2.0 * floor(coordinate / 2.0);
    }
    return fract(coordinate);
}

fn level_of(slot: Slot, index: u32) -> Level {
    var level = Level(slot.first, slot.width, slot.height);
    for (var halvings = 0u; halvings < index; halvings += 1u) {
        level.first += level.width * level.height;
        level.width = max(level.width / 2u, 1u);
        level.height = max(level.height / 2u, 1u);
    }
    return level;
}

// Between the four nearest texels.
fn mixed(slot: Slot, level: Level, uv: vec2<f32>, is_srgb: bool) -> vec4<f32> {
    let at = uv * vec2<f32>(f32(level.width), f32(level.height)) - 0.5;
    let corner = vec2<i32>(floor(at));
    let share = at - floor(at);
    let above = mix(
        texel(slot, level, corner, is_srgb),
        texel(slot, level, corner + vec2<i32>(1, 0), is_srgb),
        share.x,
    );
    let below = mix(
        texel(slot, level, corner + vec2<i32>(0, 1), is_srgb),
        texel(slot, level, corner + vec2<i32>(1, 1), is_srgb),
        share.x,
    );
    return mix(above, below, share.y);
}

fn texel(slot: Slot, level: Level, at: vec2<i32>, is_srgb: bool) -> vec4<f32> {
    let column = wrapped(at.x, i32(level.width), slot.sampling & 3u);
    let row = wrapped(at.y, i32(level.height), (slot.sampling >> 2u) & 3u);
    let value = unpack4x8unorm(texels[level.first + u32(row) * level.width + u32(column)]);
    if is_srgb {
        let curved = pow((value.rgb + 0.055) / 1.055, vec3<f32>(2.4));
        return vec4<f32>(select(curved, value.rgb / 12.92, value.rgb <= vec3<f32>(0.04045)), value.a);
    }
    return value;
}

// A texel at most one image beyond the edge, or two of a mirrored one, is which one of the image.
fn wrapped(at: i32, size: i32, wrap: u32) -> i32 {
    if wrap == CLAMP_TO_EDGE {
        return clamp(at, 0, size - 1);
    }
    if wrap == MIRRORED_REPEAT {
        let turn = (at + 2 * size) % (2 * size);
        return min(turn, 2 * size - 1 - turn);
    }
    return (at + size) % size;
}

#endif
