//! Changes, for programs that keep a copy of the calendar.

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Class, Operation};
use crate::{generator::FetchedResponse, request::RequestSpec};

/// A poll without changes, and a page of 500 objects.
pub(super) fn all(fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>) -> Result<Vec<Operation>> {
    let poll = RequestSpec::get(&format!("/changes?since={}", current_token(fetch)?));
    Ok(vec![
        Operation::repeated("poll without changes", Class::Poll, poll.clone()),
        Operation::unique("poll without changes", Class::Untargeted, move |_| poll.clone()),
        Operation::unique("500 events of a copy", Class::Changes, |_| {
            RequestSpec::get("/changes?types=events&limit=500")
        }),
    ])
}

/// The token after all categories, which are few.
fn current_token(fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>) -> Result<String> {
    let mut path = "/changes?types=categories&limit=1000".to_owned();
    loop {
        let page: Value = serde_json::from_slice(&fetch(&RequestSpec::get(&path))?.body)?;
        let token = page["token"].as_str().context("the page has no token")?;
        if page["more"] == false {
            return Ok(token.to_owned());
        }
        path = format!("/changes?since={token}&limit=1000");
    }
}
