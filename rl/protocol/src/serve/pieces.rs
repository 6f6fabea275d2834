//! Observations cut into messages of a bounded size.

use crate::{Body, Content, sessions::Observed, wire};
use std::iter;

/// Of text or data in one message.
pub(super) const PIECE_BYTES: usize = 64 << 10;

pub(super) type Pieces = Box<dyn Iterator<Item = wire::ObserveResponse> + Send>;

pub(super) fn pieces(observed: Observed) -> Pieces {
    match observed {
        Ok(content) => Box::new(cut(content)),
        Err((name, error)) => Box::new(iter::once(wire::ObserveResponse {
            content: Some(wire::Content { name, mime: String::new(), body: None }),
            last: true,
            error: Some(error.into()),
        })),
    }
}

/// At least one piece, empty for an empty content; cut lazily, so that one copy is held at a time.
fn cut(content: Content) -> impl Iterator<Item = wire::ObserveResponse> + Send {
    let Content { name, mime, body } = content;
    let mut start = 0;
    let mut last = false;
    iter::from_fn(move || {
        if last {
            return None;
        }
        let (piece, end) = match &body {
            Body::Text(text) => {
                let end = char_end(text, start);
                last = end == text.len();
                (wire::content::Body::Text(text[start..end].to_owned()), end)
            }
            Body::Data(data) => {
                let end = data.len().min(start + PIECE_BYTES);
                last = end == data.len();
                (wire::content::Body::Data(data[start..end].to_vec()), end)
            }
        };
        start = end;
        let content = wire::Content { name: name.clone(), mime: mime.clone(), body: Some(piece) };
        Some(wire::ObserveResponse { content: Some(content), last, error: None })
    })
}

fn char_end(text: &str, start: usize) -> usize {
    let mut end = text.len().min(start + PIECE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(body: Body) -> Vec<(wire::content::Body, bool)> {
        let content = Content { name: "x".into(), mime: "y".into(), body };
        pieces(Ok(content)).map(|piece| (piece.content.unwrap().body.unwrap(), piece.last)).collect()
    }

    #[test]
    fn data_is_cut_at_64_kib() {
        let bodies = bodies(Body::Data(vec![7; 2 * PIECE_BYTES + 1]));
        let sizes: Vec<(usize, bool)> = bodies
            .iter()
            .map(|(body, last)| match body {
                wire::content::Body::Data(data) => (data.len(), *last),
                wire::content::Body::Text(_) => panic!("not data"),
            })
            .collect();
        assert_eq!(sizes, [(65536, false), (65536, false), (1, true)]);
    }

    #[test]
    fn a_full_piece_is_the_last_when_nothing_follows() {
        assert_eq!(bodies(Body::Data(vec![7; PIECE_BYTES])).len(), 1);
        assert_eq!(bodies(Body::Text(String::new())), [(wire::content::Body::Text(String::new()), true)]);
    }

    #[test]
    fn text_is_cut_between_characters() {
        let text = "é€".repeat(30_000);
        let mut whole = String::new();
        for (body, _) in bodies(Body::Text(text.clone())) {
            let wire::content::Body::Text(part) = body else { panic!("not text") };
            assert!(part.len() <= PIECE_BYTES);
            whole.push_str(&part);
        }
        assert_eq!(whole, text);
    }
}
