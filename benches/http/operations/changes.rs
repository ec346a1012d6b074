//! Changes, for programs that keep a copy of the calendar.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
};

use anyhow::{Result, bail};

use super::{Class, Operation};
use crate::request::RequestSpec;

/// A poll without changes, and a page of 500 objects. `token` is that of a copy that is up to date.
pub(super) fn all(token: &str) -> Vec<Operation> {
    let poll = RequestSpec::get(&format!("/changes?since={token}"));
    vec![
        Operation::repeated("poll without changes", Class::Poll, poll.clone()),
        Operation::unique("poll without changes", Class::Untargeted, move |_| poll.clone()),
        Operation::unique("500 events of a copy", Class::Changes, |_| {
            RequestSpec::get("/changes?types=events&limit=500")
        }),
    ]
}

/// A page of 500 changes after this token.
pub(super) fn since(token: &str) -> Operation {
    let page = RequestSpec::get(&format!("/changes?since={token}&limit=500"));
    Operation::unique("500 changes", Class::Changes, move |_| page.clone())
}

/// The token of a copy that is up to date: that of the first message of the stream.
pub(crate) fn current_token(server: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect(server)?;
    let path = RequestSpec::get("/changes/stream").path;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {server}\r\n\r\n")?;
    for line in BufReader::new(stream).lines() {
        if let Some(token) = line?.strip_prefix("id: ") {
            return Ok(token.to_owned());
        }
    }
    bail!("the stream has no token")
}
