//! Generated from `proto/`.

#[expect(unreachable_pub, unused_qualifications, reason = "generated code")]
mod generated {
    tonic::include_proto!("maquette.v1");
}

pub(crate) use generated::*;

/// Every message and service of `maquette.v1`, for server reflection.
pub(crate) const DESCRIPTORS: &[u8] = tonic::include_file_descriptor_set!("maquette");
