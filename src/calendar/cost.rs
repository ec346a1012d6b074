//! The cost of an event, parsed from free text.

use iso_currency::Currency;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The cost of an event: its text, and the currency and amounts found in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// The text without surrounding whitespace.
    pub text: String,
    /// The first currency sign, such as `$`. Empty when there is none.
    pub currency_symbol: String,
    /// The ISO 4217 code. Empty when the text is ambiguous: several countries use `$`.
    pub currency_code: String,
    /// The position of the sign or, without one, of the code.
    pub position: Position,
    /// The amounts as decimal numbers, in the order of the text. "Free" is `0`.
    pub values: Vec<String>,
}

/// The position of the currency relative to the first amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Position {
    /// Before the amount: `$10`.
    Prefix,
    /// After the amount: `10 €`.
    Postfix,
    /// No currency, or no amount.
    #[default]
    None,
}

impl Position {
    /// The name in responses.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Position::Prefix => "prefix",
            Position::Postfix => "postfix",
            Position::None => "",
        }
    }
}

impl Cost {
    /// Parses a cost. Accepts any text; a text without amounts has no values.
    pub(crate) fn parse(text: &str) -> Cost {
        let text = text.trim();
        let tokens = tokens(text);
        let first_amount = tokens.iter().position(|token| token.is_amount);
        let code = tokens
            .iter()
            .enumerate()
            .find(|(index, token)| is_code(token.text) && is_beside_amount(&tokens, *index));
        let sign = text.char_indices().find(|(_, character)| is_currency_sign(*character));

        let currency_start = sign.map(|(start, _)| start).or(code.map(|(_, token)| token.start));
        let position = match (currency_start, first_amount) {
            (Some(start), Some(first)) if start < tokens[first].start => Position::Prefix,
            (Some(_), Some(_)) => Position::Postfix,
            _ => Position::None,
        };
        let values = if text.eq_ignore_ascii_case("free") {
            vec!["0".to_owned()]
        } else {
            let amounts = tokens.iter().filter(|token| token.is_amount);
            amounts.map(|token| decimal(token.text)).collect()
        };
        Cost {
            text: text.to_owned(),
            currency_symbol: sign.map(|(_, sign)| sign.to_string()).unwrap_or_default(),
            currency_code: code
                .map(|(_, token)| token.text)
                .or(sign.and_then(|(_, sign)| code_of_sign(sign)))
                .unwrap_or_default()
                .to_owned(),
            position,
            values,
        }
    }

    /// The lowest and the highest amount in hundredths, whatever the currency. `None` without an amount.
    pub(crate) fn range(&self) -> Option<(i64, i64)> {
        let amounts = || self.values.iter().map(|value| hundredths(value));
        amounts().min().zip(amounts().max())
    }

    /// Joins several costs into one text: `£10 – £20`.
    pub(crate) fn join(costs: &[String]) -> String {
        costs.join(" – ")
    }
}

/// A run of letters, or an amount with its separators.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    /// Byte offset in the text.
    start: usize,
    is_amount: bool,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let (length, is_amount) = if first.is_alphabetic() {
            (length_while(rest, char::is_alphabetic), false)
        } else {
            (amount_length(rest, text[..start].chars().next_back()), true)
        };
        if length > 0 {
            tokens.push(Token {
                text: &rest[..length],
                start,
                is_amount,
            });
        }
        start += length.max(first.len_utf8());
    }
    tokens
}

/// The byte offsets of the amounts in a text that consists of amounts and separators only. `None` for any other text.
pub(crate) fn bare_amount_starts(text: &str) -> Option<Vec<usize>> {
    let tokens = tokens(text);
    let mut end = 0;
    let mut starts = Vec::with_capacity(tokens.len());
    for token in tokens.iter().filter(|token| token.is_amount) {
        if !text[end..token.start].chars().all(separates_amounts) {
            return None;
        }
        starts.push(token.start);
        end = token.start + token.text.len();
    }
    let is_alone = !starts.is_empty() && text[end..].chars().all(separates_amounts);
    is_alone.then_some(starts)
}

fn separates_amounts(character: char) -> bool {
    character.is_whitespace() || "-–—/,;.".contains(character)
}

/// The length in bytes of the amount at the start of `text`; 0 if there is none.
///
/// A separator belongs to the amount when a digit follows. A space does when exactly three digits follow: it separates
/// thousands in `5 100`, but amounts in `10 20`.
fn amount_length(text: &str, previous: Option<char>) -> usize {
    // `.50` is an amount at the start of a word or after a currency sign, but not in `Nr.50`.
    let may_lead = previous.is_none_or(|character| character.is_whitespace() || is_currency_sign(character));
    let lead = usize::from(may_lead && text.starts_with(['.', ',']));
    let digits = length_while(&text[lead..], |character| character.is_ascii_digit());
    if digits == 0 {
        return 0;
    }
    let mut length = lead + digits;
    let mut is_spaced = lead == 0 && digits <= 3;
    while let Some(separator) = text[length..].chars().next() {
        let after = &text[length + separator.len_utf8()..];
        let digits = length_while(after, |character| character.is_ascii_digit());
        let continues = match separator {
            '.' | ',' | '\'' | '’' => digits > 0,
            ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => is_spaced && digits == 3,
            _ => false,
        };
        if !continues {
            break;
        }
        is_spaced &= !matches!(separator, '.' | ',');
        length += separator.len_utf8() + digits;
    }
    length
}

/// The amount as a decimal number: `1.000,50` is `1000.50`.
///
/// The last separator is the decimal separator if at most two digits follow, or if only zeros precede it; thousands have
/// three.
fn decimal(amount: &str) -> String {
    let is_digit = |character: &char| character.is_ascii_digit();
    let is_zero = |whole: &str| whole.bytes().all(|byte| byte == b'0');
    let (whole, fraction) = match amount.rsplit_once(['.', ',']) {
        Some((whole, fraction)) if fraction.len() <= 2 => (whole, fraction),
        Some((whole, fraction)) if is_zero(whole) && fraction.chars().all(|digit| is_digit(&digit)) => {
            (whole, fraction)
        }
        _ => (amount, ""),
    };
    let whole: String = whole.chars().filter(is_digit).collect();
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        significant => significant,
    };
    if fraction.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    }
}

/// A decimal number in hundredths, rounded down. Saturates.
fn hundredths(value: &str) -> i64 {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    format!("{whole}{fraction:0<2.2}").parse().unwrap_or(i64::MAX)
}

fn length_while(text: &str, is_inside: impl Fn(char) -> bool) -> usize {
    text.find(|character| !is_inside(character)).unwrap_or(text.len())
}

/// Whether the word is the code of a currency in circulation; gold (XAU) is not.
fn is_code(word: &str) -> bool {
    Currency::from_code(word).is_some_and(|currency| !currency.is_special())
}

/// Whether the previous or the next token is an amount. Some codes are also English words: `ALL AGES: 5` is not in
/// Albanian lek.
fn is_beside_amount(tokens: &[Token<'_>], index: usize) -> bool {
    let is_amount = |index: Option<usize>| {
        index
            .and_then(|index| tokens.get(index))
            .is_some_and(|token| token.is_amount)
    };
    is_amount(index.checked_sub(1)) || is_amount(index.checked_add(1))
}

/// Whether the character is a currency sign.
pub(crate) fn is_currency_sign(character: char) -> bool {
    character.general_category() == GeneralCategory::CurrencySymbol
}

/// The code of a sign that has one currency, or one far more common than the others.
fn code_of_sign(sign: char) -> Option<&'static str> {
    match sign {
        '£' => Some("GBP"),
        '€' => Some("EUR"),
        '¥' => Some("JPY"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parse_costs() {
        use Position::{None, Postfix, Prefix};
        for (text, symbol, code, position, values) in [
            ("Free", "", "", None, vec!["0"]),
            ("FREE", "", "", None, vec!["0"]),
            ("0", "", "", None, vec!["0"]),
            ("", "", "", None, vec![]),
            ("Donation", "", "", None, vec![]),
            ("$", "$", "", None, vec![]),
            ("$1,000.00", "$", "", Prefix, vec!["1000.00"]),
            ("10,50 €", "€", "EUR", Postfix, vec!["10.50"]),
            ("1.000", "", "", None, vec!["1000"]),
            ("1.000,5 €", "€", "EUR", Postfix, vec!["1000.5"]),
            ("£10 – £20", "£", "GBP", Prefix, vec!["10", "20"]),
            ("£10-20", "£", "GBP", Prefix, vec!["10", "20"]),
            ("¥1,500", "¥", "JPY", Prefix, vec!["1500"]),
            ("1 000,50 kr", "", "", None, vec!["1000.50"]),
            ("1\u{202f}000\u{202f}000 €", "€", "EUR", Postfix, vec!["1000000"]),
            ("10 20", "", "", None, vec!["10", "20"]),
            ("10, 20 and 30", "", "", None, vec!["10", "20", "30"]),
            ("CHF 1'250.-", "", "CHF", Prefix, vec!["1250"]),
            ("25 USD", "", "USD", Postfix, vec!["25"]),
            ("25USD", "", "USD", Postfix, vec!["25"]),
            ("$25 CAD", "$", "CAD", Prefix, vec!["25"]),
            ("EUR €5", "€", "EUR", Prefix, vec!["5"]),
            ("¥100 (CNY)", "¥", "CNY", Prefix, vec!["100"]),
            ("10 or 20 SEK", "", "SEK", Postfix, vec!["10", "20"]),
            ("₹ 500", "₹", "", Prefix, vec!["500"]),
            ("$.50", "$", "", Prefix, vec!["0.50"]),
            ("0.125 €", "€", "EUR", Postfix, vec!["0.125"]),
            ("0.125.000", "", "", None, vec!["125000"]),
            ("0.5'00", "", "", None, vec!["500"]),
            ("0.00", "", "", None, vec!["0.00"]),
            ("007", "", "", None, vec!["7"]),
            // Words that look like codes.
            ("ALL AGES: 5 €", "€", "EUR", Postfix, vec!["5"]),
            ("10 usd", "", "", None, vec!["10"]),
            ("XXX 5", "", "", None, vec!["5"]),
            ("EUROS 5", "", "", None, vec!["5"]),
        ] {
            let expected = Cost {
                text: text.to_owned(),
                currency_symbol: symbol.to_owned(),
                currency_code: code.to_owned(),
                position,
                values: values.into_iter().map(str::to_owned).collect(),
            };
            assert_eq!(Cost::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn range_of_amounts() {
        for (text, range) in [
            ("", None),
            ("Donation", None),
            ("Free", Some((0, 0))),
            ("0.00", Some((0, 0))),
            ("$.5", Some((50, 50))),
            ("0.125", Some((12, 12))),
            ("12,50 €", Some((1_250, 1_250))),
            ("£20 – £5", Some((500, 2_000))),
            ("Free or $1,000", Some((100_000, 100_000))),
            ("99999999999999999999", Some((i64::MAX, i64::MAX))),
        ] {
            assert_eq!(Cost::parse(text).range(), range, "{text}");
        }
    }

    #[test]
    fn joined_costs_parse_again() {
        let joined = Cost::join(&["£10".to_owned(), "£20".to_owned()]);
        assert_eq!(joined, "£10 – £20");
        assert_eq!(Cost::parse(&joined).values, ["10", "20"]);
        assert_eq!(Cost::join(&[]), "");
    }

    fn is_decimal(value: &str) -> bool {
        value.starts_with(|character: char| character.is_ascii_digit()) && value.parse::<f64>().is_ok()
    }

    proptest! {
        #[test]
        fn any_text_parses(text in any::<String>()) {
            let cost = Cost::parse(&text);
            prop_assert_eq!(&cost.text, text.trim());
            prop_assert!(cost.values.iter().all(|value| is_decimal(value)));
            prop_assert_eq!(Cost::parse(&cost.text), cost);
        }

        #[test]
        fn price_like_text_yields_decimals(text in "[0-9., '’$€A-Z\u{a0}-]{0,30}") {
            let cost = Cost::parse(&text);
            prop_assert!(cost.values.iter().all(|value| is_decimal(value)), "{:?}", cost.values);
            prop_assert_eq!(Cost::parse(&cost.text), cost);
        }

        #[test]
        fn price_round_trip(units in 0..10_000_000_u32, cents in 0..100_u32) {
            let value = format!("{units}.{cents:02}");
            prop_assert_eq!(Cost::parse(&format!("{value} €")).values, vec![value.clone()]);
        }
    }
}
