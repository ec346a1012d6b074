//! The responses to the requests of a batch, in the format of WordPress.

use std::collections::BTreeMap;

use poem::http::{HeaderMap, StatusCode};
use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    error::Problem,
    extract::JsonText,
    response::{Nullable, Representation},
};

/// The responses to the requests of a batch.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "BatchResult")]
pub(crate) struct BatchView {
    /// `validation` if a request of a batch with `require-all-validate` has failed, so that nothing was stored; otherwise
    /// null.
    pub failed: Nullable<String>,
    /// The responses, in the order of the requests. If the batch has failed, null for requests that would have succeeded.
    pub responses: Vec<Nullable<BatchResponseView>>,
}

/// The response to a request of a batch.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "BatchResponse")]
pub(crate) struct BatchResponseView {
    /// The HTTP status.
    pub status: u16,
    /// The headers, with lower-case names.
    pub headers: BTreeMap<String, String>,
    /// The object or the error.
    pub body: JsonText,
}

/// An object with an ID.
#[derive(Deserialize)]
struct Identified {
    id: i64,
}

impl Representation for BatchView {}

impl BatchView {
    /// All requests were run.
    pub(crate) fn completed(responses: Vec<BatchResponseView>) -> Self {
        Self {
            failed: Nullable(None),
            responses: responses.into_iter().map(|response| Nullable(Some(response))).collect(),
        }
    }

    /// Nothing was stored, because of the responses that are errors.
    pub(crate) fn failed(responses: Vec<BatchResponseView>) -> Self {
        let error = |response: BatchResponseView| Some(response).filter(|response| !response.is_success());
        Self {
            failed: Nullable(Some("validation".to_owned())),
            responses: responses
                .into_iter()
                .map(|response| Nullable(error(response)))
                .collect(),
        }
    }
}

impl BatchResponseView {
    /// The response with this body, which is a JSON object. Headers that are not text are left out.
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let text = |(name, value): (&poem::http::HeaderName, &poem::http::HeaderValue)| {
            Some((name.to_string(), value.to_str().ok()?.to_owned()))
        };
        Self {
            status: status.as_u16(),
            headers: headers.iter().filter_map(text).collect(),
            body: JsonText::from_slice(body).unwrap_or_default(),
        }
    }

    pub(crate) fn of_problem(problem: &Problem) -> Self {
        let body = json!(problem.body()).to_string();
        Self::new(problem.status(), &HeaderMap::new(), body.as_bytes())
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The ID of the object, if the request has succeeded.
    pub(crate) fn id(&self) -> Option<i64> {
        let Identified { id } = self.body.parse().ok()?;
        self.is_success().then_some(id)
    }
}
