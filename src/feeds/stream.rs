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
use tokio::{sync::mpsc, task::JoinHandle};

use super::{
    events::{self, FeedEvent},
    ical::CalendarWriter,
};
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

/// A calendar of these events. Each batch is read while the one before it is written, and no transaction stays open in
/// between.
///
/// While the client does not read, the ID of each event is in memory (8 bytes), the text of two batches, and the rows of
/// the next one. Of the texts, one is in the channel, and the connection sends the other from a write buffer of 128 KiB.
/// The definitions of zones are a part of the first batch.
pub(super) fn calendar(caller: Caller, writer: CalendarWriter, visibility: Visibility, ids: Box<[i64]>) -> Body {
    let (sender, parts) = mpsc::channel(PARTS);
    let source = Source {
        // The data may change between the batches.
        caller: caller.without_data_version(),
        visibility,
        ids,
    };
    tokio::spawn(async move {
        if let Err(problem) = send(Arc::new(source), writer, &sender).await {
            tracing::error!(cause = %problem, "a feed was aborted");
        }
    });
    let body = PartsBody {
        parts,
        is_complete: false,
    };
    body.boxed().into()
}

/// The events of a calendar.
struct Source {
    caller: Caller,
    visibility: Visibility,
    ids: Box<[i64]>,
}

/// Sends the parts, until the client is gone.
async fn send(source: Arc<Source>, mut writer: CalendarWriter, sender: &mpsc::Sender<Part>) -> Result<(), Problem> {
    let mut batches = (0..).map_while(|number| source.start_reading(number));
    let mut next = batches.next();
    while let Some(reading) = next {
        // Waits until there is room, so that only one batch is read ahead.
        let Ok(permit) = sender.reserve().await else {
            return Ok(());
        };
        let events = reading.await.map_err(Problem::internal)??;
        next = batches.next();
        writer.write(&events);
        permit.send(Part::Next(writer.take().into()));
    }
    // An error only means that the client is gone.
    _ = sender.send(Part::Last(writer.finish().into())).await;
    Ok(())
}

impl Source {
    /// Reads the batch with this number in another task. None after the last one.
    fn start_reading(self: &Arc<Self>, number: usize) -> Option<JoinHandle<Result<Vec<FeedEvent>, Problem>>> {
        self.batch(number)?;
        let source = self.clone();
        Some(tokio::spawn(async move {
            let Self { caller, visibility, .. } = &*source;
            let ids = source.batch(number).unwrap_or_default();
            let read = |snapshot: Arc<Snapshot>| async move { events::read(caller, &snapshot, visibility, ids).await };
            caller.read(read).await
        }))
    }

    fn batch(&self, number: usize) -> Option<&[i64]> {
        events::streamed_batches(&self.caller, &self.ids).nth(number)
    }
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
