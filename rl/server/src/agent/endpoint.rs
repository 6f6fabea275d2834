//! The endpoint over HTTP: one question, one answer, and another try where the failure may pass.

use super::backoff::delay;
use super::chat::Answer;
use anyhow::{Result, bail, ensure};
use serde_json::Value;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// No answer is read past this.
const MAX_BYTES: u64 = 16 << 20;
const QUOTED_CHARS: usize = 500;
const NO_KEY: &str = "; no key was sent: put it into OPENAI_API_KEY, or name its variable by --api-key-env";
const OTHER_KEY: &str = "; see whether the key is for this endpoint";
const OTHER_URL: &str = "; see whether --endpoint is the base of the API, which often ends in /v1";

pub(super) struct Endpoint {
    http: ureq::Agent,
    url: String,
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
    retry_after: Option<Duration>,
    body: Vec<u8>,
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
        Ok(Self { http, url: completions_url(base)?, key, timeout, retries })
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
                        self.url
                    );
                }
                Err(Failure::Lasts(why)) => bail!(why),
            }
        }
    }

    async fn asked(&self, body: String) -> Result<Answer, Failure> {
        let (http, url, key) = (self.http.clone(), self.url.clone(), self.key.clone());
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
                self.url,
                self.timeout.as_secs()
            )),
            Error::BadUri(_)
            | Error::Http(_)
            | Error::Tls(_)
            | Error::Rustls(_)
            | Error::InvalidProxyUrl
            | Error::BodyExceedsLimit(_) => Failure::Lasts(format!("cannot ask {}: {error}", self.url)),
            _ => Failure::MayPass { why: format!("no answer from {} ({error})", self.url), retry_after: None },
        }
    }

    fn read(&self, response: &Response) -> Result<Answer, Failure> {
        let Response { status, retry_after, body } = response;
        match status {
            200..=299 => Answer::read(body).map_err(|problem| Failure::MayPass {
                why: format!("the endpoint's answer cannot be read: {}", self.without_key(&problem)),
                retry_after: None,
            }),
            408 | 429 | 500..=599 => {
                let why = format!("the endpoint answered {status}: {}", self.said(body));
                Err(Failure::MayPass { why, retry_after: *retry_after })
            }
            _ => {
                let hint = match (status, &self.key) {
                    (401 | 403, None) => NO_KEY,
                    (401 | 403, Some(_)) => OTHER_KEY,
                    (300..=399 | 404 | 405, _) => OTHER_URL,
                    _ => "",
                };
                Err(Failure::Lasts(format!("{} answered {status}: {}{hint}", self.url, self.said(body))))
            }
        }
    }

    /// The message of an error, wherever endpoints put it.
    fn said(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let places = [&json["error"]["message"], &json["error"], &json["message"], &json["detail"]];
        let message = places.into_iter().find_map(Value::as_str).unwrap_or(&text);
        let quoted: String = self.without_key(message.trim()).chars().take(QUOTED_CHARS).collect();
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
    let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let retry_after = retry_after.and_then(|secs| secs.trim().parse().ok()).map(Duration::from_secs);
    let status = response.status().as_u16();
    let body = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec()?;
    Ok(Response { status, retry_after, body })
}

/// `http://host` → `http://host/v1/chat/completions`; a longer path is the base, or the whole.
fn completions_url(base: &str) -> Result<String> {
    let base = base.trim_end_matches('/');
    let (scheme, rest) = base.split_once("://").unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or_default();
    // Not shown: what stands before an @ may be a password.
    ensure!(!authority.contains('@'), "--endpoint holds a user's name: a key belongs in the variable of --api-key-env");
    let is_url = matches!(scheme, "http" | "https") && !authority.is_empty();
    ensure!(is_url, "--endpoint {base:?} is not http://… or https://…");
    if base.ends_with("/chat/completions") {
        return Ok(base.to_owned());
    }
    let version = if rest == authority { "/v1" } else { "" };
    Ok(format!("{base}{version}/chat/completions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(key: Option<&str>) -> Endpoint {
        Endpoint::new("http://127.0.0.1:1/v1", key.map(str::to_owned), Duration::from_secs(1), 0).unwrap()
    }

    fn read(key: Option<&str>, status: u16, body: &str) -> Result<Answer, Failure> {
        endpoint(key).read(&Response { status, retry_after: None, body: body.into() })
    }

    #[test]
    fn the_base_of_an_api_is_enough() {
        for (base, expected) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
            ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/chat/completions"),
            ("https://a.example/api", "https://a.example/api/chat/completions"),
            ("https://a.example/x/chat/completions", "https://a.example/x/chat/completions"),
        ] {
            assert_eq!(completions_url(base).unwrap(), expected);
        }
        for base in ["127.0.0.1:8080", "ftp://a", "http://", ""] {
            assert!(completions_url(base).unwrap_err().to_string().contains("http://…"), "{base}");
        }
        let error = completions_url("https://me:secret@a.example/v1").unwrap_err().to_string();
        assert!(error.contains("--api-key-env") && !error.contains("secret"), "{error}");
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
    fn a_key_that_the_endpoint_repeats_is_not_shown() {
        let Err(Failure::Lasts(why)) = read(Some("sk-1234"), 401, r#"{"error": {"message": "bad key sk-1234"}}"#)
        else {
            panic!("accepted")
        };
        assert!(why.contains("bad key (the key)") && !why.contains("sk-1234"), "{why}");
    }
}
