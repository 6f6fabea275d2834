//! How long a call may take: its `grpc-timeout`, or the server's default; never forever.

use std::time::Duration;
use tonic::metadata::MetadataMap;

const MAX_DEADLINE: Duration = Duration::from_secs(3600);
/// The reply must arrive before the client's own timer fires.
const REPLY_MARGIN: Duration = Duration::from_millis(50);

pub(super) fn of_call(metadata: &MetadataMap, default: Duration) -> Duration {
    let asked = metadata.get("grpc-timeout").and_then(|value| value.to_str().ok()).and_then(parsed);
    asked.map_or(default, |asked| asked - (asked / 10).min(REPLY_MARGIN)).min(MAX_DEADLINE)
}

/// Up to eight digits and a unit, as the gRPC specification has it.
fn parsed(text: &str) -> Option<Duration> {
    let unit = text.chars().last()?;
    let digits = text.strip_suffix(unit)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        'H' => Some(Duration::from_secs(count * 3600)),
        'M' => Some(Duration::from_secs(count * 60)),
        'S' => Some(Duration::from_secs(count)),
        'm' => Some(Duration::from_millis(count)),
        'u' => Some(Duration::from_micros(count)),
        'n' => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Duration {
        let mut metadata = MetadataMap::new();
        metadata.insert("grpc-timeout", text.parse().unwrap());
        of_call(&metadata, Duration::from_secs(30))
    }

    #[test]
    fn the_header_is_law_less_a_margin() {
        assert_eq!(of("200m"), Duration::from_millis(180));
        assert_eq!(of("2S"), Duration::from_millis(1950));
        assert_eq!(of("3000000u"), Duration::from_millis(2950));
    }

    #[test]
    fn no_deadline_is_infinite() {
        assert_eq!(of("99999999H"), MAX_DEADLINE);
        assert_eq!(of_call(&MetadataMap::new(), Duration::from_secs(30)), Duration::from_secs(30));
    }

    #[test]
    fn nonsense_is_the_default() {
        for text in ["", "S", "5", "-5S", "+5S", "123456789S", "5x"] {
            assert_eq!(of(text), Duration::from_secs(30), "{text:?}");
        }
    }
}
