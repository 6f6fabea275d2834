//! The endpoint over HTTP: one question, one answer, and another try where the failure may pass.

use super::backoff::delay;
use super::chat::{Answer, error_text};
use super::url::{self, Url};
use anyhow::{Result, bail};
use serde_json::Value;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use ureq::http::HeaderMap;

/// No answer is read past this.
const MAX_BYTES: u64 = 16 << 20;
const QUOTED_CHARS: usize = 500;
const WEB_PAGE: &str = "text/html";
const EVENT_STREAM: &str = "text/event-stream";
const NO_KEY: &str = "; no key was sent: put it into OPENAI_API_KEY, or name its variable by --api-key-env";
const OTHER_KEY: &str = "; see whether the key is for this endpoint";
const OTHER_URL: &str = "; see whether --endpoint is the base of the API, which often ends in /v1";

pub(super) struct Endpoint {
    http: ureq::Agent,
    url: Url,
    key: Option<String>,
    timeout: Duration,
    retries: u32,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    MayPass { why: String, retry_after: Option<Duration> },
    Lasts(String),
}

struct Response {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    fn retry_after(&self) -> Option<Duration> {
        let secs = self.header("retry-after")?.trim().parse().ok()?;
        Some(Duration::from_secs(secs))
    }

    /// What the body is, where another try would bring the same.
    fn foreign_kind(&self) -> Option<&str> {
        let encoding = self.header("content-encoding").filter(|encoding| *encoding != "identity");
        let media = self.header("content-type").and_then(|kind| kind.split(';').next()).map(str::trim);
        let is_foreign = |kind: &&str| [WEB_PAGE, EVENT_STREAM].iter().any(|known| kind.eq_ignore_ascii_case(known));
        encoding.or_else(|| media.filter(is_foreign))
    }
}

impl Endpoint {
    /// # Errors
    /// `base` is no URL that can be asked.
    pub(super) fn new(base: &str, key: Option<String>, timeout: Duration, retries: u32) -> Result<Self> {
        // Redirects are told, not followed: a POST would become a GET.
        let http = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(timeout))
            .user_agent(concat!("maquette/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Self { http, url: url::completions(base)?, key, timeout, retries })
    }

    /// Asks until there is an answer, at most `retries` times more than once; `say` is told of each.
    ///
    /// # Errors
    /// What the endpoint said last, or why it said nothing, and what may be done.
    pub(super) async fn answer(&self, request: &Value, say: &dyn Fn(&str)) -> Result<Answer> {
        let body = request.to_string();
        let mut tries = 0;
        loop {
            match self.asked(body.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(Failure::MayPass { why, retry_after }) if tries < self.retries => {
                    let delay = delay(tries, retry_after);
                    say(&format!("{why}; asking again in {:.1} s", delay.as_secs_f64()));
                    sleep(delay).await;
                    tries += 1;
                }
                Err(Failure::MayPass { why, .. }) => {
                    bail!(
                        "{why}; given up after {tries} more tries: see whether {} is up, or raise --retries",
                        self.url.shown
                    );
                }
                Err(Failure::Lasts(why)) => bail!(why),
            }
        }
    }

    async fn asked(&self, body: String) -> Result<Answer, Failure> {
        let (http, url, key) = (self.http.clone(), self.url.asked.clone(), self.key.clone());
        let sent = spawn_blocking(move || send(&http, &url, key.as_deref(), &body)).await;
        let response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.unanswered(&error)),
            Err(panic) => return Err(Failure::Lasts(format!("the request was given up: {panic}"))),
        };
        self.read(&response)
    }

    fn unanswered(&self, error: &ureq::Error) -> Failure {
        use ureq::Error;
        match error {
            Error::Timeout(_) => Failure::Lasts(format!(
                "{} gave no answer within {} s: see whether it is busy or loads its model, or raise --timeout-secs",
                self.url.shown,
                self.timeout.as_secs()
            )),
            Error::BadUri(_)
            | Error::Http(_)
            | Error::Tls(_)
            | Error::Rustls(_)
            | Error::InvalidProxyUrl
            | Error::BodyExceedsLimit(_) => Failure::Lasts(format!("cannot ask {}: {error}", self.url.shown)),
            _ => Failure::MayPass { why: format!("no answer from {} ({error})", self.url.shown), retry_after: None },
        }
    }

    fn read(&self, response: &Response) -> Result<Answer, Failure> {
        let Response { status, body, .. } = response;
        match status {
            200..=299 => Answer::read(body).map_err(|problem| self.unread(response, &problem)),
            408 | 429 | 500..=599 => {
                let why = format!("the endpoint answered {status}: {}", self.said(body));
                Err(Failure::MayPass { why, retry_after: response.retry_after() })
            }
            _ => {
                let hint = match (status, &self.key) {
                    (401 | 403, None) => NO_KEY,
                    (401 | 403, Some(_)) => OTHER_KEY,
                    (300..=399 | 404 | 405, _) => OTHER_URL,
                    _ => "",
                };
                let (url, said) = (&self.url.shown, self.said(body));
                let leads = response.header("location").filter(|_| (300..=399).contains(status));
                let leads = leads.map(|to| format!(", which leads to {}", self.quoted(without_query(to))));
                let leads = leads.unwrap_or_default();
                Err(Failure::Lasts(format!("{url} answered {status}{leads}: {said}{hint}")))
            }
        }
    }

    fn unread(&self, response: &Response, problem: &str) -> Failure {
        let Some(kind) = response.foreign_kind() else {
            let why = format!("the endpoint's answer cannot be read: {}", self.quoted(problem));
            return Failure::MayPass { why, retry_after: None };
        };
        let (url, kind) = (&self.url.shown, self.quoted(kind));
        let beginning = self.quoted(std::str::from_utf8(&response.body).unwrap_or("(bytes that are no text)"));
        let hint = if kind.eq_ignore_ascii_case(WEB_PAGE) { OTHER_URL } else { "" };
        Failure::Lasts(format!("{url} answered with {kind} where a chat completion is due: {beginning}{hint}"))
    }

    /// What the server says of an error.
    fn said(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        self.quoted(error_text(&json).unwrap_or(&text))
    }

    /// As much as a person reads.
    fn quoted(&self, text: &str) -> String {
        let quoted: String = self.without_key(text.trim()).chars().take(QUOTED_CHARS).collect();
        if quoted.is_empty() { "(nothing more)".into() } else { quoted }
    }

    /// Some servers repeat the key that they refuse.
    fn without_key(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(key.as_str(), "(the key)"),
            None => text.to_owned(),
        }
    }
}

/// Blocks until the body is there, or the time is over.
fn send(http: &ureq::Agent, url: &str, key: Option<&str>, body: &str) -> Result<Response, ureq::Error> {
    let mut request = http.post(url).content_type("application/json");
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let mut response = request.send(body)?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec()?;
    Ok(Response { status, headers, body })
}

/// Where a redirect leads may repeat the query of what was asked.
fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(key: Option<&str>) -> Endpoint {
        Endpoint::new("http://127.0.0.1:1/v1", key.map(str::to_owned), Duration::from_secs(1), 0).unwrap()
    }

    fn read(key: Option<&str>, status: u16, body: &str) -> Result<Answer, Failure> {
        endpoint(key).read(&Response { status, headers: HeaderMap::new(), body: body.into() })
    }

    fn lasting(status: u16, header: (&'static str, &str), body: &[u8]) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(header.0, header.1.parse().unwrap());
        match endpoint(None).read(&Response { status, headers, body: body.to_vec() }) {
            Err(Failure::Lasts(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_may_pass_is_told_from_what_lasts() {
        for status in [408, 429, 500, 503] {
            assert!(matches!(read(None, status, "busy"), Err(Failure::MayPass { .. })), "{status}");
        }
        assert!(matches!(read(None, 200, "{"), Err(Failure::MayPass { .. })));
        for (status, hint) in [(400, "answered 400"), (401, "OPENAI_API_KEY"), (404, "/v1"), (302, "/v1")] {
            let Err(Failure::Lasts(why)) = read(None, status, r#"{"error": {"message": "no such model"}}"#) else {
                panic!("{status}")
            };
            assert!(why.contains(hint) && why.contains("no such model"), "{why}");
        }
    }

    #[test]
    fn what_is_no_json_for_good_is_told_at_once_with_its_beginning() {
        let page = lasting(200, ("content-type", "text/html; charset=utf-8"), b"<html>hello</html>");
        assert!(page.contains("text/html") && page.contains("<html>hello") && page.contains("/v1"), "{page}");
        let events = lasting(200, ("content-type", "text/event-stream"), b"data: {}");
        assert!(events.contains("text/event-stream") && events.contains("data: {}"), "{events}");
        let zipped = lasting(200, ("content-encoding", "gzip"), &[0x1f, 0x8b, 8]);
        assert!(zipped.contains("gzip") && zipped.contains("no text"), "{zipped}");
        let moved = lasting(308, ("location", "https://b.example/v1?key=secret"), b"");
        assert!(moved.contains("308, which leads to https://b.example/v1:") && !moved.contains("secret"), "{moved}");
    }

    #[test]
    fn a_key_that_the_endpoint_repeats_is_not_shown() {
        let Err(Failure::Lasts(why)) = read(Some("sk-1234"), 401, r#"{"error": {"message": "bad key sk-1234"}}"#)
        else {
            panic!("accepted")
        };
        assert!(why.contains("bad key (the key)") && !why.contains("sk-1234"), "{why}");
    }
}
