//! What is seen at each pixel.

/// Planes of `width * height` values, row-major from the top-left pixel.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeFrame {
    pub width: u32,
    pub height: u32,
    /// 0 is nothing, else 1 + index into the baked meshes.
    pub mesh: Vec<u32>,
    /// Metres along the view axis; +∞ is nothing.
    pub depth_m: Vec<f32>,
    /// World space, −1…1 as 0…255, turned round where a triangle shows its back; zero is nothing.
    pub normal: Vec<[u8; 3]>,
    /// The base colour's Rec. 709 luma × (0.25 + 0.75 · |normal · towards the viewer|), 0…1 as 1…255; 0 is nothing.
    /// Shape and colour at a glance, not the scene's lights.
    pub luminance: Vec<u8>,
}

/// One picture in memory: ids (u32), depths (f32), normals with luminance (4 × u8), rows padded to `row_bytes`.
pub(crate) struct Planes<'a> {
    pub(crate) bytes: [&'a [u8]; 3],
    pub(crate) row_bytes: usize,
}

impl ProbeFrame {
    pub(crate) fn empty(width: u32, height: u32) -> Self {
        let pixels = width as usize * height as usize;
        Self {
            width,
            height,
            mesh: vec![0; pixels],
            depth_m: vec![f32::INFINITY; pixels],
            normal: vec![[0; 3]; pixels],
            luminance: vec![0; pixels],
        }
    }

    pub(crate) fn read(width: u32, height: u32, planes: &Planes<'_>) -> Self {
        let pixels = width as usize * height as usize;
        let mut frame = Self {
            width,
            height,
            mesh: Vec::with_capacity(pixels),
            depth_m: Vec::with_capacity(pixels),
            normal: Vec::with_capacity(pixels),
            luminance: Vec::with_capacity(pixels),
        };
        let [ids, depths, shades] = planes.bytes.map(|plane| plane.chunks_exact(planes.row_bytes));
        for ((ids, depths), shades) in ids.zip(depths).zip(shades) {
            let used = ..width as usize * 4;
            let ids: &[u32] = bytemuck::cast_slice(&ids[used]);
            let depths: &[f32] = bytemuck::cast_slice(&depths[used]);
            let shades: &[[u8; 4]] = bytemuck::cast_slice(&shades[used]);
            frame.mesh.extend_from_slice(ids);
            frame
                .depth_m
                .extend(ids.iter().zip(depths).map(|(id, depth_m)| if *id == 0 { f32::INFINITY } else { *depth_m }));
            frame.normal.extend(shades.iter().map(|[x, y, z, _]| [*x, *y, *z]));
            frame.luminance.extend(ids.iter().zip(shades).map(
                |(id, [.., luminance])| {
                    if *id == 0 { 0 } else { (*luminance).max(1) }
                },
            ));
        }
        frame
    }
}
