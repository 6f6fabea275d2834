//! A parsed file: its JSON, the accessors and buffer views that are well-formed, and the bytes that were found.

use super::format::{Format, integer_range, number};
use super::resources::Bytes;
use ::gltf::json;
use ::gltf::json::accessor::ComponentType;
use ::gltf::json::validation::Checked;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Document {
    /// The root object.
    pub(crate) json: Value,
    /// By index; `None` where malformed.
    pub(crate) accessors: Vec<Option<Accessor>>,
    pub(crate) views: Vec<Option<View>>,
    /// At least as long as declared; `None` where missing or too short.
    pub(crate) buffers: Vec<Bytes>,
    /// Bytes of images given by URI.
    pub(crate) images: Vec<Bytes>,
}

#[derive(Debug, Clone)]
pub(crate) struct Accessor {
    pub(crate) format: Format,
    pub(crate) view: Option<usize>,
    pub(crate) offset: u64,
    /// At least 1.
    pub(crate) count: u64,
    /// As stored (not decoded); one per component.
    pub(crate) min: Option<Vec<f64>>,
    pub(crate) max: Option<Vec<f64>>,
    pub(crate) sparse: Option<Sparse>,
}

#[derive(Debug, Clone)]
pub(crate) struct Sparse {
    pub(crate) count: u64,
    pub(crate) index: ComponentType,
    pub(crate) indices_view: usize,
    pub(crate) indices_offset: u64,
    pub(crate) values_view: usize,
    pub(crate) values_offset: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) buffer: usize,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) stride: Option<u64>,
    /// 34962 or 34963.
    pub(crate) target: Option<json::buffer::Target>,
}

impl Document {
    pub(super) fn new(json: Value, buffers: Vec<Bytes>, images: Vec<Bytes>) -> Self {
        let accessors = list(&json, "accessors").iter().map(Accessor::parse).collect();
        let views = list(&json, "bufferViews").iter().map(View::parse).collect();
        Self { json, accessors, views, buffers, images }
    }

    pub(crate) fn list(&self, name: &str) -> &[Value] {
        list(&self.json, name)
    }

    /// Those of KHR_lights_punctual.
    pub(crate) fn lights(&self) -> &[Value] {
        self.json.pointer("/extensions/KHR_lights_punctual").map(|lights| list(lights, "lights")).unwrap_or_default()
    }

    pub(crate) fn accessor(&self, index: usize) -> Option<&Accessor> {
        self.accessors.get(index)?.as_ref()
    }

    pub(crate) fn view(&self, index: usize) -> Option<&View> {
        self.views.get(index)?.as_ref()
    }

    /// Whether the file declares an extension as used.
    pub(crate) fn uses(&self, extension: &str) -> bool {
        self.list("extensionsUsed").iter().any(|name| name.as_str() == Some(extension))
    }

    /// The bytes of a buffer view; `None` where the buffer is missing or too short.
    pub(super) fn bytes(&self, view: &View) -> Option<&[u8]> {
        let buffer = self.buffers.get(view.buffer)?.as_ref()?;
        slice(buffer, view.offset, view.length)
    }

    /// The bytes of an image, by URI or in a buffer view.
    pub(crate) fn image(&self, index: usize) -> Option<&[u8]> {
        if let Some(bytes) = self.images.get(index).and_then(Option::as_ref) {
            return Some(bytes);
        }
        let view = super::index(self.list("images").get(index)?.get("bufferView"))?;
        self.bytes(self.view(view)?)
    }

    /// All stored components of an accessor, element by element, sparse values put in; zeros where it has no buffer
    /// view. `None` where bytes are missing or do not fit. Allocates `count` × components, which only a buffer view
    /// bounds: check `count` first.
    pub(crate) fn elements(&self, accessor: &Accessor) -> Option<Vec<f64>> {
        let Accessor { format, count, .. } = *accessor;
        let components = format.components();
        let count = usize::try_from(count).ok()?;
        let mut values = match accessor.view {
            None => vec![0.0; count.checked_mul(components)?],
            Some(view) => {
                let (bytes, stride) = self.raw(accessor, view)?;
                read(bytes, format, count, stride)?
            }
        };
        if let Some(sparse) = &accessor.sparse {
            self.replace(&mut values, format, sparse)?;
        }
        Some(values)
    }

    /// Whether the elements that come from a buffer view are all there, so that `count` is no larger than the file,
    /// and no more are replaced than there are.
    pub(crate) fn fits(&self, accessor: &Accessor) -> bool {
        accessor.view.is_none_or(|view| self.raw(accessor, view).is_some())
            && accessor.sparse.as_ref().is_none_or(|sparse| sparse.count <= accessor.count)
    }

    /// From the first element to the last one's end, and the stride.
    fn raw(&self, accessor: &Accessor, view: usize) -> Option<(&[u8], usize)> {
        let Accessor { format, offset, count, .. } = *accessor;
        let view = self.view(view)?;
        let stride = view.stride.unwrap_or(format.tight_stride() as u64);
        let fits = stride >= format.length() as u64;
        let bytes = slice(self.bytes(view)?, offset, span(count, stride, format))?;
        Some((bytes, usize::try_from(stride).ok().filter(|_| fits)?))
    }

    /// Puts sparse elements into `values`; `None` where their bytes are missing or an index is past the end.
    fn replace(&self, values: &mut [f64], format: Format, sparse: &Sparse) -> Option<()> {
        let indices = self.sparse_indices(sparse)?;
        let components = format.components();
        let size = format.component.size();
        let values_view = self.view(sparse.values_view)?;
        let length = sparse.count.checked_mul((components * size) as u64)?;
        let bytes = slice(self.bytes(values_view)?, sparse.values_offset, length)?;
        for (index, element) in indices.into_iter().zip(bytes.chunks_exact(components * size)) {
            let start = usize::try_from(index).ok()?.checked_mul(components)?;
            let replaced = values.get_mut(start..start.checked_add(components)?)?;
            for (value, bytes) in replaced.iter_mut().zip(element.chunks_exact(size)) {
                *value = number(format.component, bytes)?;
            }
        }
        Some(())
    }

    pub(super) fn sparse_indices(&self, sparse: &Sparse) -> Option<Vec<u64>> {
        let size = sparse.index.size();
        let view = self.view(sparse.indices_view)?;
        let bytes = slice(self.bytes(view)?, sparse.indices_offset, sparse.count.checked_mul(size as u64)?)?;
        bytes.chunks_exact(size).map(|bytes| number(sparse.index, bytes).map(|index| index as u64)).collect()
    }
}

/// Bytes from the first element's start to the last one's end.
pub(super) fn span(count: u64, stride: u64, format: Format) -> u64 {
    stride.saturating_mul(count.saturating_sub(1)).saturating_add(format.length() as u64)
}

fn read(bytes: &[u8], format: Format, count: usize, stride: usize) -> Option<Vec<f64>> {
    let offsets: Vec<usize> = (0..format.components()).map(|component| format.offset_of(component)).collect();
    let mut values = Vec::with_capacity(count.checked_mul(offsets.len())?);
    for element in 0..count {
        for offset in &offsets {
            values.push(number(format.component, bytes.get(element * stride + offset..)?)?);
        }
    }
    Some(values)
}

fn slice(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = usize::try_from(offset.checked_add(length)?).ok()?;
    bytes.get(start..end)
}

pub(super) fn list<'a>(json: &'a Value, name: &str) -> &'a [Value] {
    json.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl Accessor {
    fn parse(value: &Value) -> Option<Self> {
        let parsed = json::Accessor::deserialize(value).ok()?;
        let (Checked::Valid(component), Checked::Valid(kind)) = (parsed.component_type, parsed.type_) else {
            return None;
        };
        let format = Format { component: component.0, kind, normalized: parsed.normalized };
        let view = parsed.buffer_view.map(|view| view.value());
        let sparse = match parsed.sparse {
            Some(sparse) => Some(Sparse::parse(&sparse)?),
            None => None,
        };
        Some(Self {
            format,
            view,
            offset: parsed.byte_offset.filter(|_| view.is_some()).map_or(0, |offset| offset.0),
            count: Some(parsed.count.0).filter(|count| *count > 0)?,
            min: parsed.min.and_then(|min| bounds(&min, format)),
            max: parsed.max.and_then(|max| bounds(&max, format)),
            sparse,
        })
    }
}

impl Sparse {
    fn parse(sparse: &json::accessor::sparse::Sparse) -> Option<Self> {
        let Checked::Valid(index) = sparse.indices.component_type else { return None };
        Some(Self {
            count: sparse.count.0,
            index: index.0,
            indices_view: sparse.indices.buffer_view.value(),
            indices_offset: sparse.indices.byte_offset.0,
            values_view: sparse.values.buffer_view.value(),
            values_offset: sparse.values.byte_offset.0,
        })
    }
}

impl View {
    fn parse(value: &Value) -> Option<Self> {
        let parsed = json::buffer::View::deserialize(value).ok()?;
        Some(Self {
            buffer: parsed.buffer.value(),
            offset: parsed.byte_offset.map_or(0, |offset| offset.0),
            length: parsed.byte_length.0,
            stride: parsed.byte_stride.map(|stride| stride.0 as u64),
            target: parsed.target.and_then(|target| match target {
                Checked::Valid(target) => Some(target),
                Checked::Invalid => None,
            }),
        })
    }
}

/// Declared bounds, rounded to what an accessor can store; `None` where malformed.
fn bounds(value: &Value, format: Format) -> Option<Vec<f64>> {
    let numbers = value.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?;
    let stored = match integer_range(format.component) {
        None => numbers.into_iter().map(|number| f64::from(number as f32)).collect(),
        Some((min, max)) => {
            let fits = numbers.iter().all(|number| number.fract() == 0.0 && (min..=max).contains(number));
            fits.then_some(numbers)?
        }
    };
    Some(stored).filter(|stored: &Vec<f64>| stored.len() == format.components())
}
