//! Work that occupies the calling thread.

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::block_in_place,
};

/// Runs blocking work after the runtime has moved its other work to another thread.
pub(super) fn without_delaying_others<T>(work: impl FnOnce() -> T) -> T {
    match has_other_threads() {
        true => block_in_place(work),
        false => work(),
    }
}

/// The same for asynchronous work that hardly ever waits.
pub(in crate::store) async fn run_without_delaying_others<T>(work: impl Future<Output = T>) -> T {
    match has_other_threads() {
        true => block_in_place(|| Handle::current().block_on(work)),
        false => work.await,
    }
}

fn has_other_threads() -> bool {
    let flavor = Handle::try_current().map(|runtime| runtime.runtime_flavor());
    matches!(flavor, Ok(RuntimeFlavor::MultiThread))
}
