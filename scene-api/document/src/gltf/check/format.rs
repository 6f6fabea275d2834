//! How an element of an accessor lies in memory (glTF 2.0 §3.6.2).

use ::gltf::json::accessor::{ComponentType, Type};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) component: ComponentType,
    pub(crate) kind: Type,
    pub(crate) normalized: bool,
}

impl Format {
    pub(crate) fn components(self) -> usize {
        self.kind.multiplicity()
    }

    /// Bytes of one element without padding at its end.
    pub(super) fn length(self) -> usize {
        self.offset_of(self.components() - 1) + self.component.size()
    }

    /// Bytes from one element to the next where the buffer view gives no stride.
    pub(super) fn tight_stride(self) -> usize {
        match self.rows() {
            Some(rows) => rows * self.column_bytes(rows),
            None => self.components() * self.component.size(),
        }
    }

    /// Byte of a component within its element. Matrix columns start on 4-byte boundaries.
    pub(super) fn offset_of(self, component: usize) -> usize {
        let size = self.component.size();
        match self.rows() {
            Some(rows) => component / rows * self.column_bytes(rows) + component % rows * size,
            None => component * size,
        }
    }

    fn rows(self) -> Option<usize> {
        match self.kind {
            Type::Mat2 => Some(2),
            Type::Mat3 => Some(3),
            Type::Mat4 => Some(4),
            Type::Scalar | Type::Vec2 | Type::Vec3 | Type::Vec4 => None,
        }
    }

    fn column_bytes(self, rows: usize) -> usize {
        (rows * self.component.size()).next_multiple_of(4)
    }

    /// The number that a stored component means: integers are divided by their largest value where normalised.
    pub(crate) fn decode(self, stored: f64) -> f64 {
        match self.component {
            _ if !self.normalized => stored,
            ComponentType::I8 => (stored / 127.0).max(-1.0),
            ComponentType::U8 => stored / 255.0,
            ComponentType::I16 => (stored / 32767.0).max(-1.0),
            ComponentType::U16 => stored / 65535.0,
            ComponentType::U32 | ComponentType::F32 => stored,
        }
    }
}

/// One little-endian number at the start of `bytes`.
pub(super) fn number(component: ComponentType, bytes: &[u8]) -> Option<f64> {
    match component {
        ComponentType::I8 => bytes.first_chunk::<1>().map(|byte| f64::from(i8::from_le_bytes(*byte))),
        ComponentType::U8 => bytes.first().map(|byte| f64::from(*byte)),
        ComponentType::I16 => bytes.first_chunk::<2>().map(|pair| f64::from(i16::from_le_bytes(*pair))),
        ComponentType::U16 => bytes.first_chunk::<2>().map(|pair| f64::from(u16::from_le_bytes(*pair))),
        ComponentType::U32 => bytes.first_chunk::<4>().map(|word| f64::from(u32::from_le_bytes(*word))),
        ComponentType::F32 => bytes.first_chunk::<4>().map(|word| f64::from(f32::from_le_bytes(*word))),
    }
}

/// Smallest and largest value of an integer component type; `None` for floats.
pub(super) fn integer_range(component: ComponentType) -> Option<(f64, f64)> {
    match component {
        ComponentType::I8 => Some((f64::from(i8::MIN), f64::from(i8::MAX))),
        ComponentType::U8 => Some((0.0, f64::from(u8::MAX))),
        ComponentType::I16 => Some((f64::from(i16::MIN), f64::from(i16::MAX))),
        ComponentType::U16 => Some((0.0, f64::from(u16::MAX))),
        ComponentType::U32 => Some((0.0, f64::from(u32::MAX))),
        ComponentType::F32 => None,
    }
}
