//! A TCP stream that records its activity, and closes without losing the last response.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::activity::Activity;

/// A stream that records its activity.
pub(super) struct TrackedStream<S> {
    stream: S,
    activity: Arc<Activity>,
    is_shut_down: bool,
    lingers: bool,
}

impl<S> TrackedStream<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            activity,
            is_shut_down: false,
            lingers: false,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TrackedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.activity.on_read();
        }
        polled
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TrackedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.activity.on_write();
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, bytes))?;
        self.activity.on_write();
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.activity.on_flush();
        Poll::Ready(Ok(()))
    }

    /// Shuts down writing. A client that may still be sending then has time to read the last response and to close its
    /// side, while its input is discarded: if a connection is closed with unread input, the system resets it, and the
    /// client may lose the response. The watchdog limits the time.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut_down {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.is_shut_down = true;
            self.lingers = self.activity.is_last_response();
            self.activity.linger();
        }
        let mut discarded = [0; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut discarded);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => self.lingers = true,
                Poll::Pending if self.lingers => return Poll::Pending,
                // The client has closed its side, or the connection has failed.
                Poll::Ready(_) | Poll::Pending => return Poll::Ready(Ok(())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;
    use crate::listen::activity::Phase;

    #[tokio::test]
    async fn idle_connection_closes_at_once() {
        let (_client, server) = duplex(64 * 1024);
        let mut server = TrackedStream::new(server, Activity::new());
        server.shutdown().await.expect("it closes");
    }

    #[tokio::test]
    async fn sending_client_can_read_the_last_response() {
        let (mut client, server) = duplex(64 * 1024);
        let activity = Activity::new();
        activity.begin_request(false).mark_last_response();
        let mut server = TrackedStream::new(server, activity.clone());
        client.write_all(&[0; 10_000]).await.expect("there is room");
        server.write_all(b"no").await.expect("there is room");
        let closing = tokio::spawn(async move { server.shutdown().await });
        let mut text = String::new();
        client.read_to_string(&mut text).await.expect("text");
        assert_eq!(text, "no");
        assert_eq!(activity.snapshot().phase, Phase::Linger);
        assert!(!closing.is_finished());
        client.write_all(&[0; 10_000]).await.expect("it is discarded");
        drop(client);
        closing.await.expect("no panic").expect("it closes");
    }
}
