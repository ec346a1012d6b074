//! Calendars that are too large for memory: they are written while they are sent.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use poem::Body;
use tokio::sync::mpsc;

use super::{events, ical::CalendarWriter};
use crate::{
    auth::Caller,
    error::Problem,
    store::{Snapshot, visibility::Visibility},
};

/// The number of parts that wait for the connection.
const PARTS: usize = 1;

/// A part of a body.
enum Part {
    Next(Bytes),
    Last(Bytes),
}

/// A calendar of these events. Each batch is read when the client has received the one before it, and no transaction stays
/// open in between.
///
/// While the client does not read, the ID of each event is in memory (8 bytes), and the text of two batches: one in the
/// channel, and one that the connection sends, from a write buffer of 128 KiB. The definitions of zones are a part of
/// the first batch. The rows of a batch are in memory only while its text is written.
pub(super) fn calendar(caller: Caller, writer: CalendarWriter, visibility: Visibility, ids: Box<[i64]>) -> Body {
    let (sender, parts) = mpsc::channel(PARTS);
    // The data may change between the batches.
    let caller = caller.without_data_version();
    tokio::spawn(async move {
        if let Err(problem) = send(&caller, writer, &visibility, &ids, &sender).await {
            tracing::error!(cause = %problem, "a feed was aborted");
        }
    });
    let body = PartsBody {
        parts,
        is_complete: false,
    };
    body.boxed().into()
}

/// Sends the parts, until the client is gone.
async fn send(
    caller: &Caller,
    mut writer: CalendarWriter,
    visibility: &Visibility,
    ids: &[i64],
    sender: &mpsc::Sender<Part>,
) -> Result<(), Problem> {
    for batch in events::batches(caller, ids) {
        // Waits until there is room, so that no batch is read ahead.
        let Ok(permit) = sender.reserve().await else {
            return Ok(());
        };
        let read = |snapshot: Arc<Snapshot>| async move { events::read(caller, &snapshot, visibility, batch).await };
        writer.write(&caller.read(read).await?);
        permit.send(Part::Next(writer.take().into()));
    }
    // An error only means that the client is gone.
    _ = sender.send(Part::Last(writer.finish().into())).await;
    Ok(())
}

/// The body of parts. It ends with an error if the last part is missing, so that the connection is aborted: the client must
/// not take the beginning of a calendar for all of it.
struct PartsBody {
    parts: mpsc::Receiver<Part>,
    is_complete: bool,
}

impl hyper::body::Body for PartsBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.is_complete {
            return Poll::Ready(None);
        }
        let part = ready!(self.parts.poll_recv(context));
        Poll::Ready(Some(match part {
            Some(Part::Next(bytes)) => Ok(Frame::data(bytes)),
            Some(Part::Last(bytes)) => {
                self.is_complete = true;
                Ok(Frame::data(bytes))
            }
            None => Err(io::Error::other("the rest of the feed could not be read")),
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.is_complete
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::Collected;

    use super::*;

    async fn received(parts: Vec<Part>) -> Result<Bytes, io::Error> {
        let (sender, receiver) = mpsc::channel(8);
        for part in parts {
            sender.try_send(part).unwrap_or_else(|_| panic!("the channel is full"));
        }
        drop(sender);
        let body = PartsBody {
            parts: receiver,
            is_complete: false,
        };
        body.collect().await.map(Collected::to_bytes)
    }

    #[tokio::test]
    async fn body_without_last_part_is_an_error() {
        let (first, last) = (Bytes::from_static(b"a"), Bytes::from_static(b"b"));
        let complete = vec![Part::Next(first.clone()), Part::Last(last)];
        assert_eq!(received(complete).await.unwrap(), "ab");
        assert!(received(vec![Part::Next(first)]).await.is_err());
    }
}
