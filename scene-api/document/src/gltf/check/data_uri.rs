//! `data:` URIs (RFC 2397) and relative ones (RFC 3986).

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Exporters leave out padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

#[derive(Debug)]
pub(super) struct DataUri {
    /// Lower case, without parameters.
    pub(super) media_type: String,
    pub(super) bytes: Vec<u8>,
}

/// `None`: not a data URI. The error says what is wrong with it.
pub(super) fn parse(uri: &str) -> Option<Result<DataUri, String>> {
    let body = uri.strip_prefix("data:")?;
    let Some((header, payload)) = body.split_once(',') else {
        return Some(Err("a data URI without a comma".into()));
    };
    let mut parameters = header.split(';');
    let media_type = parameters.next().unwrap_or_default().to_ascii_lowercase();
    let payload = percent_decoded(payload);
    let bytes = if parameters.any(|parameter| parameter.eq_ignore_ascii_case("base64")) {
        match BASE64.decode(&payload) {
            Ok(bytes) => bytes,
            Err(error) => return Some(Err(format!("base64: {error}"))),
        }
    } else {
        payload
    };
    Some(Ok(DataUri { media_type, bytes }))
}

/// The path that a relative URI names; `None` where it is absolute, has a scheme, or is no URI.
pub(super) fn relative_path(uri: &str) -> Option<String> {
    let scheme_end = uri.find(':').filter(|colon| !uri[..*colon].contains('/'));
    if uri.is_empty() || uri.starts_with('/') || scheme_end.is_some() {
        return None;
    }
    String::from_utf8(percent_decoded(uri)).ok()
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| hex_pair(after)).flatten();
        decoded.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    decoded
}

fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let [high, low] = *bytes.first_chunk::<2>()?;
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
