//! The signals that stop the server.

use std::{future::pending, io};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::oneshot,
};

use crate::listen::Stop;

/// Installs the signal handlers. The first future resolves at the first stop signal, with its name; the second future
/// resolves at the next signal of either kind.
pub(super) fn stop_signals() -> io::Result<(impl Future<Output = (&'static str, Stop)>, impl Future<Output = ()>)> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (first_sender, first_receiver) = oneshot::channel();
    let (second_sender, second_receiver) = oneshot::channel();
    tokio::spawn(async move {
        let mut next = async || {
            tokio::select! {
                _ = terminate.recv() => ("SIGTERM", Stop::Announced),
                _ = interrupt.recv() => ("SIGINT", Stop::Soon),
            }
        };
        // Fails once the server has ended.
        let _ = first_sender.send(next().await);
        next().await;
        let _ = second_sender.send(());
    });
    // The senders are only dropped with the runtime.
    let first = async {
        match first_receiver.await {
            Ok(signal) => signal,
            Err(_) => pending().await,
        }
    };
    let second = async {
        if second_receiver.await.is_err() {
            pending::<()>().await;
        }
    };
    Ok((first, second))
}
