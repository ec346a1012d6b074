//! Adds up the time that requests spend in each stage, from the tracing spans of the server and of SeaORM.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tracing::{Event, Metadata, Subscriber, span};
use tracing_subscriber::{
    Layer,
    layer::{Context, Filter},
    registry::{LookupSpan, SpanRef},
};

/// A stage of a request. A span belongs to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// What is in no other stage.
    Request,
    ChangeLog,
    /// Waiting for a connection of the pool.
    Pool,
    /// Beginning, committing and rolling back transactions.
    Transaction,
    Statement,
    /// A statement on the calling thread.
    InlineStatement,
    Views,
    Json,
    Compression,
}

/// The number of stages.
const STAGES: usize = Stage::Compression as usize + 1;

/// The event of the server when a statement or a transaction has got its connection.
const ACQUIRED: &str = "almanac::store::connection_renewal";

impl Stage {
    fn of(metadata: &Metadata<'_>) -> Option<Self> {
        let is_inline = metadata.target().starts_with("almanac::store::sqlite");
        let is_database = metadata.target().starts_with("sea_orm::database");
        match metadata.name() {
            "request" => Some(Self::Request),
            "data_version" | "read_upcoming" => Some(Self::ChangeLog),
            "represent_with_links" => Some(Self::Views),
            "serialize" => Some(Self::Json),
            "gzip" => Some(Self::Compression),
            "collect_until" | "execute" | "execute_unprepared" if is_inline => Some(Self::InlineStatement),
            "begin_write" | "commit_write" => Some(Self::Transaction),
            "execute_raw" | "execute_unprepared" | "query_one_raw" | "query_all_raw" if is_database => {
                Some(Self::Statement)
            }
            "begin" | "begin_with_config" | "begin_with_options" | "commit" | "rollback" | "start_rollback"
                if is_database =>
            {
                Some(Self::Transaction)
            }
            _ => None,
        }
    }
}

/// The number of spans of a stage, and their total time without that of the spans inside them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StageTime {
    pub count: u64,
    pub elapsed: Duration,
}

/// The sums. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct StageTimes(Arc<Mutex<[StageTime; STAGES]>>);

impl StageTimes {
    /// Returns the time of each stage since the last call. The index is the stage.
    pub(crate) fn take(&self) -> [StageTime; STAGES] {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, stage: Stage, elapsed: Duration) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = &mut all[stage as usize];
        sum.count += 1;
        sum.elapsed += elapsed;
    }
}

/// The timing of an open span.
struct Timing {
    stage: Stage,
    started: Instant,
    /// The time of the spans inside it.
    inside: Duration,
}

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for StageTimes {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        if let (Some(span), Some(stage)) = (context.span(id), Stage::of(attributes.metadata())) {
            span.extensions_mut().insert(Timing {
                stage,
                started: Instant::now(),
                inside: Duration::ZERO,
            });
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(span) = context.event_span(event) else { return };
        if let Some(timing) = span.extensions_mut().get_mut::<Timing>()
            && matches!(timing.stage, Stage::Statement | Stage::Transaction)
        {
            let waited = timing.started.elapsed().saturating_sub(timing.inside);
            timing.inside += waited;
            self.add(Stage::Pool, waited);
        }
    }

    fn on_close(&self, id: span::Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(timing) = span.extensions_mut().remove::<Timing>() else {
            return;
        };
        let elapsed = timing.started.elapsed();
        self.add(timing.stage, elapsed.saturating_sub(timing.inside));
        if let Some(parent) = span.parent() {
            add_inside(&parent, elapsed);
        }
    }
}

fn add_inside<'span, S: LookupSpan<'span>>(parent: &SpanRef<'span, S>, elapsed: Duration) {
    if let Some(timing) = parent.extensions_mut().get_mut::<Timing>() {
        timing.inside += elapsed;
    }
}

/// Enables only the spans of stages.
pub(crate) fn filter<S>() -> impl Filter<S> {
    tracing_subscriber::filter::filter_fn(|metadata| match metadata.is_span() {
        true => Stage::of(metadata).is_some(),
        false => metadata.target() == ACQUIRED,
    })
}
