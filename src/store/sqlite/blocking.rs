//! Work that occupies the calling thread.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::{block_in_place, yield_now},
};

/// How long work may occupy a thread of the runtime.
pub(super) const BUDGET: Duration = Duration::from_millis(1);

/// Runs blocking work after the runtime has moved its other work to another thread.
pub(super) fn without_delaying_others<T>(work: impl FnOnce() -> T) -> T {
    match number_of_threads() {
        Some(_) => block_in_place(work),
        None => work(),
    }
}

/// Work in many blocking steps that hardly ever waits, such as the statements of a transaction.
///
/// Moving other work to another thread costs more than a short write, and can delay what follows the write. Other work
/// is therefore moved only once the steps have exceeded the budget, or at once if the runtime has only one thread.
#[derive(Debug, Default)]
pub(in crate::store) struct BlockingSteps {
    begun: OnceLock<Instant>,
    is_long: AtomicBool,
}

impl BlockingSteps {
    /// Runs the work, which calls [`Self::next`] before each step.
    pub(in crate::store) async fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(threads) = number_of_threads() else {
            return work.await;
        };
        let mut work = pin!(work);
        if threads > 1 {
            self.begun.get_or_init(Instant::now);
            let short = poll_fn(|context| match work.as_mut().poll(context) {
                Poll::Pending if !self.is_long.load(Ordering::Relaxed) => Poll::Pending,
                Poll::Pending => Poll::Ready(None),
                Poll::Ready(value) => Poll::Ready(Some(value)),
            });
            if let Some(value) = short.await {
                return value;
            }
        }
        block_in_place(|| Handle::current().block_on(work))
    }

    /// Interrupts work that has exceeded the budget, once, so that [`Self::run`] moves other work before the next step.
    pub(in crate::store) async fn next(&self) {
        let is_late = self.begun.get().is_some_and(|begun| begun.elapsed() > BUDGET);
        if is_late && !self.is_long.swap(true, Ordering::Relaxed) {
            yield_now().await;
        }
    }
}

/// The number of threads of a runtime that can move work between them. None in other runtimes, and outside of any.
fn number_of_threads() -> Option<usize> {
    let runtime = Handle::try_current().ok()?;
    matches!(runtime.runtime_flavor(), RuntimeFlavor::MultiThread).then(|| runtime.metrics().num_workers())
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread::sleep};

    use super::*;

    /// Runs steps that together take longer than the budget. Returns whether other work was moved.
    async fn moves_other_work(steps: BlockingSteps) -> bool {
        let work = async {
            for _ in 0..3 {
                steps.next().await;
                sleep(2 * BUDGET);
            }
            "done"
        };
        assert_eq!(steps.run(work).await, "done");
        steps.is_long.load(Ordering::Relaxed)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn long_work_moves_other_work() {
        assert!(moves_other_work(BlockingSteps::default()).await);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn short_work_moves_no_other_work() {
        // Work that begins in an hour is within the budget however slow the machine is.
        let begun = OnceLock::from(Instant::now() + Duration::from_secs(3600));
        let steps = BlockingSteps {
            begun,
            ..BlockingSteps::default()
        };
        assert!(!moves_other_work(steps).await);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn other_work_continues_on_a_single_thread() {
        let (sender, receiver) = mpsc::channel();
        let receive = async move { receiver.recv_timeout(Duration::from_secs(10)) };
        let work = tokio::spawn(async move { BlockingSteps::default().run(receive).await });
        let other = tokio::spawn(async move { sender.send(()) });
        let (received, sent) = tokio::join!(work, other);
        assert_eq!(received.expect("no panic"), Ok(()));
        assert_eq!(sent.expect("no panic"), Ok(()));
    }

    #[tokio::test]
    async fn steps_run_without_other_threads() {
        assert!(!moves_other_work(BlockingSteps::default()).await);
    }
}
