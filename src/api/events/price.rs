//! The query parameters of lists of events for their price.

use almanac_derive::Parameters;

use crate::{
    error::{FieldError, ValidationErrors},
    extract::{MaybeUndefined, lenient_bool::LenientBool, number::Number},
    store::events::EventFilter,
};

/// An amount of any currency.
type Amount = Number<0, 1_000_000_000>;

/// The query parameters of lists of events for their price.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct PriceQuery {
    /// `true`: only events whose price is `Free` or 0. `false`: only events with a price above 0. An event whose price
    /// is unknown or has no amount is in neither list.
    #[param(example = true)]
    pub free: MaybeUndefined<LenientBool>,
    /// Only events whose highest price is at least this amount, whatever the currency. `Free` is 0; an unknown price is
    /// not listed.
    #[param(example = 10)]
    pub cost_min: MaybeUndefined<Amount>,
    /// Only events whose lowest price is at most this amount, whatever the currency. `Free` is 0; an unknown price is
    /// not listed.
    #[param(example = 25)]
    pub cost_max: MaybeUndefined<Amount>,
}

impl PriceQuery {
    /// The filters.
    pub(super) fn resolve(self, errors: &mut ValidationErrors) -> Vec<EventFilter> {
        // Destructured so that the compiler reports unused parameters.
        let Self {
            free,
            cost_min,
            cost_max,
        } = self;
        let (least, most) = (cost_min.take().map(hundredths), cost_max.take().map(hundredths));
        if least.zip(most).is_some_and(|(least, most)| least > most) {
            errors.add("cost_max", FieldError::invalid("must not be less than cost_min"));
        }
        let filters = [
            free.take().map(|flag| EventFilter::Free(flag.0)),
            least.map(EventFilter::CostFrom),
            most.map(EventFilter::CostTo),
        ];
        filters.into_iter().flatten().collect()
    }
}

#[allow(clippy::cast_possible_truncation, reason = "an amount is at most a billion")]
fn hundredths(amount: Amount) -> i64 {
    (amount.0 * 100.0).round() as i64
}
