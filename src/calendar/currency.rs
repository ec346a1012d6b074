//! The site's currency, which applies to costs that name none.

use iso_currency::Currency;

use super::cost::{Cost, Position, bare_amount_starts, is_currency_sign};

/// The generic currency sign, and that of the French franc, which `iso_currency` also gives for other francs.
const IGNORED_SIGNS: [char; 2] = ['¤', '₣'];

/// The currency of amounts whose text names none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteCurrency {
    /// ISO 4217.
    code: &'static str,
    /// A sign such as `$`; empty if the code is written instead.
    sign: String,
}

impl SiteCurrency {
    /// Parses an ISO 4217 code, ignoring case. `None` for codes that are not in circulation, such as that of gold.
    pub fn parse(code: &str) -> Option<Self> {
        let currency = Currency::from_code(&code.trim().to_ascii_uppercase())?;
        if currency.is_special() {
            return None;
        }
        let sign = currency.symbol().to_string();
        let mut characters = sign.chars();
        let is_sign = matches!((characters.next(), characters.next()), (Some(first), None)
            if is_currency_sign(first) && !IGNORED_SIGNS.contains(&first));
        Some(Self {
            code: currency.code(),
            sign: if is_sign { sign } else { String::new() },
        })
    }
}

impl Cost {
    /// Applies the site's currency to a cost that consists of bare amounts: one, a list or a range.
    pub(crate) fn in_currency(mut self, currency: Option<&SiteCurrency>) -> Self {
        if let Some(SiteCurrency { code, sign }) = currency
            && bare_amount_starts(&self.text).is_some()
        {
            self.currency_symbol.clone_from(sign);
            self.currency_code = (*code).to_owned();
            self.position = Position::Prefix;
        }
        self
    }
}

/// Inserts the currency before each amount: its sign or, without one, its code and a space. Returns a text that does
/// not consist of bare amounts unchanged.
pub(crate) fn with_currency(text: &str, sign: &str, code: &str) -> String {
    let prefix = match (sign, code) {
        ("", "") => return text.to_owned(),
        ("", code) => format!("{code} "),
        (sign, _) => sign.to_owned(),
    };
    let Some(starts) = bare_amount_starts(text) else {
        return text.to_owned();
    };
    let mut shown = String::with_capacity(text.len() + starts.len() * prefix.len());
    let mut written = 0;
    for start in starts {
        shown.push_str(&text[written..start]);
        shown.push_str(&prefix);
        written = start;
    }
    shown + &text[written..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn currency_signs() {
        for (code, expected) in [
            ("USD", Some(("USD", "$"))),
            ("eur", Some(("EUR", "€"))),
            ("CHF", Some(("CHF", ""))),
            ("SEK", Some(("SEK", ""))),
            ("INR", Some(("INR", "₹"))),
            ("XAU", None),
            ("dollar", None),
            ("", None),
        ] {
            let found = SiteCurrency::parse(code);
            let found = found.as_ref().map(|found| (found.code, found.sign.as_str()));
            assert_eq!(found, expected, "{code}");
        }
    }

    #[test]
    fn bare_amounts_use_site_currency() {
        for (text, details, shown_usd, shown_chf) in [
            ("25", ("$", "USD", "prefix"), "$25", "CHF 25"),
            ("0", ("$", "USD", "prefix"), "$0", "CHF 0"),
            ("1,250.50", ("$", "USD", "prefix"), "$1,250.50", "CHF 1,250.50"),
            ("10 – 20", ("$", "USD", "prefix"), "$10 – $20", "CHF 10 – CHF 20"),
            ("10-20", ("$", "USD", "prefix"), "$10-$20", "CHF 10-CHF 20"),
            ("Free", ("", "", ""), "Free", "Free"),
            ("", ("", "", ""), "", ""),
            ("Donation", ("", "", ""), "Donation", "Donation"),
            ("€25", ("€", "EUR", "prefix"), "€25", "€25"),
            ("25 kr", ("", "", ""), "25 kr", "25 kr"),
            ("25 SEK", ("", "SEK", "postfix"), "25 SEK", "25 SEK"),
            ("10% off", ("", "", ""), "10% off", "10% off"),
        ] {
            let dollar = SiteCurrency::parse("USD");
            let cost = Cost::parse(text).in_currency(dollar.as_ref());
            let found = (
                cost.currency_symbol.as_str(),
                cost.currency_code.as_str(),
                cost.position.as_str(),
            );
            assert_eq!(found, details, "{text}");
            assert_eq!(Cost::parse(text).in_currency(None), Cost::parse(text));
            assert_eq!(with_currency(text, "$", "USD"), shown_usd, "{text}");
            assert_eq!(with_currency(text, "", "CHF"), shown_chf, "{text}");
            assert_eq!(with_currency(text, "", ""), text);
        }
    }
}
