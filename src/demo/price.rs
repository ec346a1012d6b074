//! Generates prices as free text.

use super::{geography::Currency, random::Random};

/// A random cost. `range` is the minimum and maximum in euros; `None` is a free event.
pub(super) fn price(random: &mut Random, range: Option<(i64, i64)>, currency: Currency) -> String {
    let Some((min, max)) = range else {
        let text = *random.pick(&["Free", "Free", "Free", "Free", "Free", "Donation", ""]);
        return text.to_owned();
    };
    let euros = random.between(min..=max);
    if random.per_mille(250) {
        let max_euros = random.between(euros + 2..=2 * euros + 2);
        let (min, max) = (money(euros, 0, currency), money(max_euros, 0, currency));
        return format!("{min} – {max}");
    }
    let cents = if random.per_mille(200) { 50 } else { 0 };
    money(euros, cents, currency)
}

fn money(euros: i64, cents: i64, currency: Currency) -> String {
    let Currency {
        sign,
        is_postfix,
        units_per_euro,
    } = currency;
    let whole = euros * units_per_euro;
    // Currencies with large amounts, such as yen, have no cents.
    let has_cents = cents > 0 && units_per_euro == 1;
    match (is_postfix, has_cents) {
        (false, false) => format!("{sign}{whole}"),
        (false, true) => format!("{sign}{whole}.{cents:02}"),
        (true, false) => format!("{whole} {sign}"),
        (true, true) => format!("{whole},{cents:02} {sign}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        calendar::cost::Cost,
        demo::geography::{HOME_REGION, ONLINE_REGIONS},
    };

    #[test]
    fn prices_parse() {
        let mut random = Random::new();
        for region in ONLINE_REGIONS.iter().chain([&HOME_REGION]) {
            for _ in 0..100 {
                let text = price(&mut random, Some((5, 40)), region.currency);
                let cost = Cost::parse(&text);
                assert_eq!(cost.currency_symbol, region.currency.sign, "{text}");
                assert!(matches!(cost.values.len(), 1 | 2), "{text}");
            }
        }
    }

    #[test]
    fn currency_formats() {
        let [_, _, yen, _, postfix_euro, ..] = ONLINE_REGIONS.map(|region| region.currency);
        assert_eq!(money(10, 50, HOME_REGION.currency), "€10.50");
        assert_eq!(money(10, 50, postfix_euro), "10,50 €");
        assert_eq!(money(10, 50, yen), "¥1600");
    }
}
