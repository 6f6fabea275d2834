// Ids, depths, normals and a little shade of one view.

struct Vertex {
    @location(0) position_m: vec3f,
    @location(1) normal: vec3f,
    @location(2) mesh_id: u32,
    @location(3) luma: f32,
}

// One per picture; see view_instance.rs.
struct ViewInstance {
    @location(4) clip_x: vec4f,
    @location(5) clip_y: vec4f,
    @location(6) clip_z: vec4f,
    @location(7) clip_w: vec4f,
    @location(8) depth: vec4f,
    @location(9) viewer: vec4f,
}

// Few locations: on a software adapter each is 16 bytes that a vertex writes.
struct Surfel {
    @builtin(position) clip: vec4f,
    // The mesh, and the bits of the luma.
    @location(0) @interpolate(flat) surface: vec2u,
    @location(1) normal_and_depth_m: vec4f,
    @location(2) to_viewer: vec3f,
}

struct Planes {
    @location(0) mesh_id: u32,
    @location(1) depth_m: f32,
    @location(2) normal_and_luminance: vec4f,
}

@vertex
fn place(vertex: Vertex, view: ViewInstance) -> Surfel {
    let position = vec4f(vertex.position_m, 1.0);
    var surfel: Surfel;
    surfel.clip = vec4f(
        dot(view.clip_x, position),
        dot(view.clip_y, position),
        dot(view.clip_z, position),
        dot(view.clip_w, position),
    );
    surfel.surface = vec2u(vertex.mesh_id, bitcast<u32>(vertex.luma));
    surfel.normal_and_depth_m = vec4f(vertex.normal, dot(view.depth, position));
    surfel.to_viewer = view.viewer.xyz - vertex.position_m * view.viewer.w;
    return surfel;
}

@fragment
fn show(surfel: Surfel, @builtin(front_facing) front: bool) -> Planes {
    let outward = normalize(surfel.normal_and_depth_m.xyz);
    let normal = select(-outward, outward, front);
    let facing = abs(dot(normal, normalize(surfel.to_viewer)));
    let luminance = bitcast<f32>(surfel.surface.y) * (0.25 + 0.75 * facing);
    return Planes(surfel.surface.x, surfel.normal_and_depth_m.w, vec4f(normal * 0.5 + 0.5, luminance));
}
