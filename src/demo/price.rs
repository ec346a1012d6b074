//! Prices as people write them.

use super::{city::Currency, random::Random};

/// The cost of an event whose tickets are from `range` in euros, or of one without tickets.
pub fn price(dice: &mut Random, range: Option<(i64, i64)>, currency: Currency) -> String {
    let Some((cheapest, dearest)) = range else {
        let text = *dice.pick(&["Free", "Free", "Free", "Free", "Free", "Donation", ""]);
        return text.to_owned();
    };
    let euros = dice.between(cheapest..=dearest);
    if dice.per_mille(250) {
        let most = dice.between(euros + 2..=2 * euros + 2);
        let (least, most) = (money(euros, 0, currency), money(most, 0, currency));
        return format!("{least} – {most}");
    }
    let cents = if dice.per_mille(200) { 50 } else { 0 };
    money(euros, cents, currency)
}

fn money(euros: i64, cents: i64, currency: Currency) -> String {
    let Currency {
        sign,
        is_behind,
        per_euro,
    } = currency;
    let whole = euros * per_euro;
    // Money of which a euro is worth many is not counted in cents.
    let has_cents = cents > 0 && per_euro == 1;
    match (is_behind, has_cents) {
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
        demo::city::{ABROAD, HOME},
    };

    #[test]
    fn every_price_can_be_read() {
        let mut dice = Random::new();
        for region in ABROAD.iter().chain([&HOME]) {
            for _ in 0..100 {
                let text = price(&mut dice, Some((5, 40)), region.currency);
                let cost = Cost::parse(&text);
                assert_eq!(cost.currency_symbol, region.currency.sign, "{text}");
                assert!(matches!(cost.values.len(), 1 | 2), "{text}");
            }
        }
    }

    #[test]
    fn prices_follow_the_custom_of_the_country() {
        let [_, _, yen, _, behind, ..] = ABROAD.map(|region| region.currency);
        assert_eq!(money(10, 50, HOME.currency), "€10.50");
        assert_eq!(money(10, 50, behind), "10,50 €");
        assert_eq!(money(10, 50, yen), "¥1600");
    }
}
