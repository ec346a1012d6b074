//! The signals that stop the server.

use std::{future::pending, io};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::oneshot,
};

use crate::listen::Stop;

/// Waits for the first stop signal, with its name, and for the second one of any kind.
pub(super) fn stop_signals() -> io::Result<(impl Future<Output = (&'static str, Stop)>, impl Future<Output = ()>)> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (first, is_first) = oneshot::channel();
    let (second, is_second) = oneshot::channel();
    tokio::spawn(async move {
        let mut next = async || {
            tokio::select! {
                _ = terminate.recv() => ("SIGTERM", Stop::Announced),
                _ = interrupt.recv() => ("SIGINT", Stop::Soon),
            }
        };
        // Fails once the server has ended.
        let _ = first.send(next().await);
        next().await;
        let _ = second.send(());
    });
    // The senders are only dropped with the runtime.
    let first = async {
        match is_first.await {
            Ok(signal) => signal,
            Err(_) => pending().await,
        }
    };
    let second = async {
        if is_second.await.is_err() {
            pending::<()>().await;
        }
    };
    Ok((first, second))
}
