//! The open connections: admission and eviction.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use metrics::{counter, gauge};
use tokio::sync::watch;

use super::{
    activity::{Activity, Phase, Snapshot},
    limits::Limits,
};

/// The number of connections that may be closing in addition to the limit: half of the reserved files.
const MAX_CLOSING: usize = 64;
/// How long accepting waits for closing connections.
const CLOSING_TIMEOUT: Duration = Duration::from_millis(50);

/// How a connection is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Termination {
    None,
    /// End when no request is in progress.
    Graceful,
    /// End immediately.
    Immediate,
}

/// Why a connection is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdmissionError {
    /// The maximum number of connections is open, and all of them are busy.
    Full,
    /// The same for the connections from this address.
    AddressFull,
}

/// All connections of a server.
pub(super) struct Registry {
    pub limits: Limits,
    connections: Mutex<Connections>,
    /// The number of connections.
    count: watch::Sender<usize>,
}

#[derive(Default)]
struct Connections {
    next: u64,
    entries: HashMap<u64, Entry>,
    /// The number of connections that are not closing, in all and by address.
    counted: usize,
    by_address: HashMap<IpAddr, usize>,
}

struct Entry {
    activity: Arc<Activity>,
    termination: watch::Sender<Termination>,
    counting_key: Option<IpAddr>,
    /// When its termination began.
    closing_since: Option<Instant>,
}

/// A connection that was admitted. It is counted until this is dropped.
pub(super) struct Admitted {
    pub activity: Arc<Activity>,
    pub termination: watch::Receiver<Termination>,
    slot: Slot,
}

/// The entry of a connection in the registry, which is removed when this is dropped.
struct Slot {
    registry: Arc<Registry>,
    id: u64,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.registry.remove(self.id);
    }
}

impl Registry {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            connections: Mutex::default(),
            count: watch::Sender::new(0),
        })
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection. At the limit, the connection that has been idle longest is evicted.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Result<Admitted, AdmissionError> {
        let counting_key = self.limits.counting_key(peer);
        let mut connections = self.connections();
        if let Some(address) = counting_key
            && connections.count_from(address) >= self.limits.connections_per_address
            && !connections.evict(|entry| entry.counting_key == Some(address), "address_full")
        {
            return Err(AdmissionError::AddressFull);
        }
        if connections.counted >= self.limits.connections && !connections.evict(|_| true, "full") {
            return Err(AdmissionError::Full);
        }
        let activity = Activity::new();
        let (sender, termination) = watch::channel(Termination::None);
        let id = connections.insert(Entry {
            activity: activity.clone(),
            termination: sender,
            counting_key,
            closing_since: None,
        });
        self.publish(connections);
        Ok(Admitted {
            activity,
            termination,
            slot: Slot {
                registry: self.clone(),
                id,
            },
        })
    }

    fn remove(&self, id: u64) {
        let mut connections = self.connections();
        connections.stop_counting(id);
        connections.entries.remove(&id);
        self.publish(connections);
    }

    fn publish(&self, connections: MutexGuard<'_, Connections>) {
        let count = connections.entries.len();
        drop(connections);
        self.count.send_replace(count);
        gauge!("almanac_connections").set(count as f64);
    }

    /// The number of connections.
    pub(super) fn count(&self) -> usize {
        *self.count.borrow()
    }

    /// Waits until a connection ends.
    pub(super) async fn connection_closed(&self) {
        let mut count = self.count.subscribe();
        let present = *count.borrow_and_update();
        // It can't fail: the sender is in `self`.
        let _ = count.wait_for(|count| *count < present).await;
    }

    /// Waits while too many connections are closing, since the next one might find no open file left.
    pub(super) async fn closing_settled(&self) {
        let limit = self.limits.connections + MAX_CLOSING;
        let mut count = self.count.subscribe();
        let settled = count.wait_for(|count| *count <= limit);
        // After the timeout the acceptor continues: it can handle a lack of files.
        let _ = tokio::time::timeout(CLOSING_TIMEOUT, settled).await;
    }

    /// Waits until all connections are closed.
    pub(super) async fn all_closed(&self) {
        // It can't fail: the sender is in `self`.
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Evicts the connection that has been idle longest. Returns whether there was one.
    pub(super) fn evict(&self, reason: &'static str) -> bool {
        self.connections().evict(|_| true, reason)
    }

    /// Closes the connections that match once no request is in progress on them.
    pub(super) fn close_gracefully(&self, matches: impl Fn(&Activity) -> bool) {
        self.connections()
            .terminate_all(Termination::Graceful, |entry| matches(&entry.activity));
    }

    /// Closes all connections immediately.
    pub(super) fn abort(&self) {
        self.connections().terminate_all(Termination::Immediate, |_| true);
    }

    /// Closes the connections for which `close_reason` returns a reason. It receives the activity of a connection, and
    /// the time since its termination began.
    pub(super) fn close_where(
        &self,
        mut close_reason: impl FnMut(&Snapshot, Option<Duration>) -> Option<&'static str>,
    ) {
        let mut connections = self.connections();
        let due: Vec<(u64, Snapshot, &'static str)> = connections
            .entries
            .iter()
            .filter_map(|(id, entry)| {
                let snapshot = entry.activity.snapshot();
                let closing_for = entry.closing_since.map(|since| since.elapsed());
                let reason = close_reason(&snapshot, closing_for)?;
                Some((*id, snapshot, reason))
            })
            .collect();
        for (id, snapshot, reason) in due {
            connections.close(id, &snapshot, reason);
        }
    }
}

impl Admitted {
    /// The last part must be dropped when the connection ends.
    pub(super) fn into_parts(self) -> (Arc<Activity>, watch::Receiver<Termination>, impl Drop) {
        (self.activity, self.termination, self.slot)
    }
}

impl Connections {
    fn count_from(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).copied().unwrap_or_default()
    }

    fn insert(&mut self, entry: Entry) -> u64 {
        self.counted += 1;
        if let Some(address) = entry.counting_key {
            *self.by_address.entry(address).or_default() += 1;
        }
        self.next += 1;
        self.entries.insert(self.next, entry);
        self.next
    }

    /// Stops counting a connection that is closing or closed.
    fn stop_counting(&mut self, id: u64) {
        let Some(entry) = self.entries.get_mut(&id).filter(|entry| entry.closing_since.is_none()) else {
            return;
        };
        entry.closing_since = Some(Instant::now());
        self.counted -= 1;
        if let Some(address) = entry.counting_key
            && let Some(count) = self.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
    }

    fn terminate_all(&mut self, termination: Termination, matches: impl Fn(&Entry) -> bool) {
        let ids: Vec<u64> = self
            .entries
            .iter()
            .filter_map(|(id, entry)| matches(entry).then_some(*id))
            .collect();
        for id in ids {
            self.terminate(id, termination);
        }
    }

    /// Terminates a connection, unless a stricter termination is already set.
    fn terminate(&mut self, id: u64, termination: Termination) {
        self.stop_counting(id);
        if let Some(entry) = self.entries.get(&id) {
            entry.termination.send_if_modified(|present| {
                let is_stricter = termination > *present;
                *present = termination.max(*present);
                is_stricter
            });
        }
    }

    /// Closes the connection that has waited longest for its client. Those without a request come first.
    fn evict(&mut self, matches: impl Fn(&Entry) -> bool, reason: &'static str) -> bool {
        let waiting = self.entries.iter().filter_map(|(id, entry)| {
            let snapshot = entry.activity.snapshot();
            let is_evictable = entry.closing_since.is_none() && snapshot.phase != Phase::Request && matches(entry);
            is_evictable.then_some((*id, snapshot))
        });
        let has_no_request = |snapshot: &Snapshot| !matches!(snapshot.phase, Phase::Response | Phase::Flush);
        let longest = waiting.max_by_key(|(_, snapshot)| (has_no_request(snapshot), snapshot.age));
        let Some((id, snapshot)) = longest else {
            return false;
        };
        self.close(id, &snapshot, reason);
        true
    }

    /// Closes a connection: between two requests gracefully, as one may be arriving, otherwise immediately.
    fn close(&mut self, id: u64, snapshot: &Snapshot, reason: &'static str) {
        let was_closing = self.entries.get(&id).is_some_and(|entry| entry.closing_since.is_some());
        let termination = match snapshot.phase {
            Phase::Idle if !was_closing => Termination::Graceful,
            _ => Termination::Immediate,
        };
        self.terminate(id, termination);
        counter!("almanac_connections_closed_total", "reason" => reason).increment(1);
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::config::Settings;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        settings: Settings,
    }

    fn registry(connections: usize, connections_per_address: usize) -> Arc<Registry> {
        Registry::new(Limits {
            connections,
            connections_per_address,
            ..Limits::of(&Flags::parse_from(["almanac"]).settings)
        })
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn termination(admitted: &Admitted) -> Termination {
        *admitted.termination.borrow()
    }

    #[test]
    fn full_address_evicts_its_own_connections() {
        let registry = registry(100, 2);
        let other = registry.admit(address(2)).expect("admitted");
        let first = registry.admit(address(1)).expect("admitted");
        std::thread::sleep(Duration::from_millis(5));
        let second = registry.admit(address(1)).expect("admitted");
        let third = registry.admit(address(1)).expect("the first is evicted");
        assert_eq!(termination(&first), Termination::Immediate);
        for kept in [&second, &third, &other] {
            assert_eq!(termination(kept), Termination::None);
        }
    }

    #[test]
    fn busy_address_is_refused() {
        let registry = registry(100, 2);
        let busy: Vec<_> = (0..2).map(|_| registry.admit(address(1)).expect("admitted")).collect();
        let requests: Vec<_> = busy.iter().map(|busy| busy.activity.begin_request(false)).collect();
        assert_eq!(registry.admit(address(1)).err(), Some(AdmissionError::AddressFull));
        assert!(registry.admit(address(2)).is_ok());
        drop(requests);
        drop(busy);
        assert!(registry.admit(address(1)).is_ok());
    }

    #[test]
    fn loopback_is_exempt() {
        let registry = registry(100, 2);
        let loopback = IpAddr::from([127, 0, 0, 1]);
        let all: Vec<_> = (0..50).map(|_| registry.admit(loopback).expect("admitted")).collect();
        assert!(all.iter().all(|one| termination(one) == Termination::None));
    }

    #[test]
    fn idle_connections_are_evicted_before_unread_responses() {
        let registry = registry(3, 100);
        let [unread, busy, idle] = [1, 2, 3].map(|last| registry.admit(address(last)).expect("admitted"));
        let mut response = unread.activity.begin_request(false);
        response.begin_response(100);
        let request = busy.activity.begin_request(false);
        std::thread::sleep(Duration::from_millis(5));
        drop(idle.activity.begin_request(false));
        idle.activity.on_flush();
        let fourth = registry.admit(address(4)).expect("one is evicted");
        assert_eq!(termination(&idle), Termination::Graceful);
        let fourth_request = fourth.activity.begin_request(false);
        let fifth = registry.admit(address(5)).expect("one is evicted");
        assert_eq!(termination(&unread), Termination::Immediate);
        let fifth_request = fifth.activity.begin_request(false);
        assert_eq!(registry.admit(address(6)).err(), Some(AdmissionError::Full));
        assert_eq!(termination(&busy), Termination::None);
        drop((request, fourth_request, fifth_request));
    }

    #[tokio::test]
    async fn count_includes_open_connections() {
        let registry = registry(100, 100);
        let admitted = registry.admit(address(1)).expect("admitted");
        assert_eq!(registry.count(), 1);
        drop(admitted);
        registry.all_closed().await;
        assert_eq!(registry.count(), 0);
    }
}
