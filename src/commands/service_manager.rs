//! Notification of the service manager, as systemd's `Type=notify` expects.

use sd_notify::NotifyState;

/// Notifies the service manager, if there is one.
pub(super) fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "can't notify the service manager at NOTIFY_SOCKET");
    }
}

/// Notifies the watchdog of the service manager, if any, twice per interval that this process still runs tasks.
pub(super) fn notify_watchdog() {
    let Some(interval) = sd_notify::watchdog_enabled() else {
        return;
    };
    tokio::spawn(async move {
        loop {
            notify(&[NotifyState::Watchdog]);
            tokio::time::sleep(interval / 2).await;
        }
    });
}
