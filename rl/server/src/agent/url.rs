//! Where an endpoint is asked.

use anyhow::{Result, bail, ensure};
use ureq::http::Uri;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Url {
    /// With its query.
    pub(super) asked: String,
    /// Without: a query may hold a key.
    pub(super) shown: String,
}

/// `http://host` → `http://host/v1/chat/completions`; a longer path is the base, or the whole. A query stays
/// at the end.
///
/// # Errors
/// `base` is no URL that can be asked.
pub(super) fn completions(base: &str) -> Result<Url> {
    let base = base.trim();
    let given = base.split(['?', '#']).next().unwrap_or_default();
    let host = given.split_once("://").map_or(given, |(_, rest)| rest).split('/').next().unwrap_or_default();
    // Not shown: what stands before an @ may be a password.
    ensure!(!host.contains('@'), "--endpoint holds a user's name: a key belongs in the variable of --api-key-env");
    let uri = base.parse::<Uri>().unwrap_or_default();
    let (Some(scheme @ ("http" | "https")), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        bail!("--endpoint {given:?} is not http://… or https://…");
    };
    ensure!(!authority.host().is_empty(), "--endpoint {given:?} is not http://… or https://…: it names no host");
    let has_port = authority.as_str() != authority.host();
    let is_good = !has_port || authority.port_u16().is_some_and(|port| port > 0);
    ensure!(is_good, "--endpoint {given:?}: a port is a number from 1 to 65535");

    let path = match uri.path().trim_end_matches('/') {
        "" => "/v1/chat/completions".to_owned(),
        whole if whole.ends_with("/chat/completions") => whole.to_owned(),
        base => format!("{base}/chat/completions"),
    };
    let shown = format!("{scheme}://{authority}{path}");
    let asked = uri.query().map_or_else(|| shown.clone(), |query| format!("{shown}?{query}"));
    Ok(Url { asked, shown })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_of_an_api_is_enough() {
        for (base, expected) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
            ("http://127.0.0.1:8080/v1/ ", "http://127.0.0.1:8080/v1/chat/completions"),
            ("HTTP://[::1]:8080", "http://[::1]:8080/v1/chat/completions"),
            ("http://[::1]", "http://[::1]/v1/chat/completions"),
            ("https://a.example/api", "https://a.example/api/chat/completions"),
            ("https://a.example/x/chat/completions", "https://a.example/x/chat/completions"),
        ] {
            let url = completions(base).unwrap();
            assert_eq!((url.asked.as_str(), url.shown.as_str()), (expected, expected));
        }
        for base in ["127.0.0.1:8080", "ftp://a", "http://", "http://:80", "http://a b", ""] {
            assert!(completions(base).unwrap_err().to_string().contains("http://…"), "{base}");
        }
        for base in ["http://a:99999/v1?key=secret", "http://a:0", "http://a:/v1", "http://a:b"] {
            let error = completions(base).unwrap_err().to_string();
            assert!(error.contains("--endpoint") && !error.contains("secret"), "{error}");
        }
        for base in ["https://me:secret@a.example/v1", "me:secret@a.example/v1"] {
            let error = completions(base).unwrap_err().to_string();
            assert!(error.contains("--api-key-env") && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_query_stays_behind_the_path_and_is_not_shown() {
        for (base, path) in [("/d", "/d"), ("/d/chat/completions", "/d"), ("", "/v1"), ("/", "/v1")] {
            let shown = format!("https://a.example{path}/chat/completions");
            let asked = format!("{shown}?version=1&key=secret");
            let url = completions(&format!("https://a.example{base}?version=1&key=secret")).unwrap();
            assert_eq!(url, Url { asked, shown });
        }
    }
}
