//! Connections on which nothing happens are closed, also those that never end their headers.
//!
//! poem has an `idle_timeout` of its own, which wakes another task at every read and every write. This one looks
//! at the clock, and has one timer that rings when nothing may have happened for long.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use poem::{
    http::uri::Scheme,
    listener::Acceptor,
    web::{LocalAddr, RemoteAddr},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// Accepts connections that end when they have been idle for so long.
pub struct Patient<A> {
    pub acceptor: A,
    pub patience: Duration,
}

impl<A: Acceptor> Acceptor for Patient<A> {
    type Io = Watched<A::Io>;

    fn local_addr(&self) -> Vec<LocalAddr> {
        self.acceptor.local_addr()
    }

    async fn accept(&mut self) -> io::Result<(Self::Io, LocalAddr, RemoteAddr, Scheme)> {
        let (stream, local, remote, scheme) = self.acceptor.accept().await?;
        let stream = Watched::new(stream, self.patience);
        Ok((stream, local, remote, scheme))
    }
}

/// A connection, and when something last happened on it.
pub struct Watched<S> {
    stream: S,
    patience: Duration,
    last: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl<S> Watched<S> {
    fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            last: Instant::now(),
            alarm: Box::pin(sleep(patience)),
        }
    }

    /// What is ready is passed on, and what has to wait waits no longer than `patience`.
    fn or_idle<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.last = Instant::now();
            return polled;
        }
        loop {
            ready!(self.alarm.as_mut().poll(context));
            // It was set long ago; much may have happened since.
            let end = self.last + self.patience;
            if end <= Instant::now() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.alarm.as_mut().reset(end);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.or_idle(context, polled)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.or_idle(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.or_idle(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn a_connection_lives_while_something_happens_and_ends_soon_after() {
        let (mut client, server) = duplex(64);
        let mut server = Watched::new(server, PATIENCE);
        let begun = Instant::now();
        for _ in 0..6 {
            tokio::time::sleep(PATIENCE / 4).await;
            client.write_all(b"x").await.expect("it is open");
            assert_eq!(server.read_u8().await.expect("it is open"), b'x');
        }
        assert!(begun.elapsed() > PATIENCE);
        let last = Instant::now();
        let error = server
            .read_u8()
            .await
            .expect_err("nothing happens any more");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(last.elapsed() < PATIENCE * 3);
    }

    #[tokio::test]
    async fn a_reader_that_takes_nothing_is_left() {
        let (_client, server) = duplex(8);
        let mut server = Watched::new(server, PATIENCE);
        let error = server.write_all(&[0; 64]).await.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
