//! Absolute dates: `2027-03-01 09:00`, and RFC 3339.

use chrono::{Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use super::date::DateTimeInput;

/// The layouts of a local date, with each digit as `0`, and the corresponding chrono format.
///
/// The layout is compared first, because chrono also accepts single digits, signs and missing spaces.
const LAYOUTS: [(&str, &str); 6] = [
    ("0000-00-00", "%Y-%m-%d"),
    ("0000/00/00", "%Y/%m/%d"),
    ("0000-00-00 00:00", "%Y-%m-%d %H:%M"),
    ("0000/00/00 00:00", "%Y/%m/%d %H:%M"),
    ("0000-00-00 00:00:00", "%Y-%m-%d %H:%M:%S"),
    ("0000/00/00 00:00:00", "%Y/%m/%d %H:%M:%S"),
];

fn layout_of(text: &str) -> String {
    text.replace(|character: char| character.is_ascii_digit(), "0")
}

/// Parses a local date in one of the layouts, optionally with a `T` for the space and with a fraction of a second.
pub(super) fn parse_local(text: &str) -> Option<DateTimeInput> {
    let text = without_fraction(text).replacen(['T', 't'], " ", 1);
    let layout = layout_of(&text);
    let (_, format) = LAYOUTS.iter().find(|(known, _)| *known == layout)?;
    let has_time = layout.contains(':');
    let date_time = if has_time {
        NaiveDateTime::parse_from_str(&text, format).ok()?
    } else {
        let date = NaiveDate::parse_from_str(&text, format).ok()?;
        date.and_time(NaiveTime::MIN)
    };
    // chrono represents a leap second as more than 10^9 nanoseconds. Leap seconds are not supported.
    let is_supported = date_time.nanosecond() == 0 && is_four_digit_year(date_time.year());
    is_supported.then_some(DateTimeInput::Local { date_time, has_time })
}

/// Parses an RFC 3339 timestamp. Also accepts a space for the `T`, and no seconds.
pub(super) fn parse_instant(text: &str) -> Option<DateTimeInput> {
    let (local, offset) = match text.strip_suffix(['Z', 'z']) {
        Some(local) => (local, "+00:00"),
        None => text.split_at_checked(text.len().checked_sub("+00:00".len())?)?,
    };
    if !matches!(layout_of(offset).as_str(), "+00:00" | "-00:00") {
        return None;
    }
    let DateTimeInput::Local {
        date_time,
        has_time: true,
    } = parse_local(local)?
    else {
        return None;
    };
    let offset: FixedOffset = offset.parse().ok()?;
    let instant = date_time.checked_sub_offset(offset)?.and_utc();
    is_four_digit_year(instant.year()).then_some(DateTimeInput::Instant(instant))
}

/// Removes a fraction such as `.123` from a time with seconds. Returns any other text unchanged.
fn without_fraction(local: &str) -> &str {
    match local.split_once('.') {
        Some((whole, fraction))
            if layout_of(whole).ends_with(":00:00")
                && !fraction.is_empty()
                && fraction.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            whole
        }
        _ => local,
    }
}

/// Whether the year is in 1 to 9999: RFC 3339 requires four digits.
pub(super) fn is_four_digit_year(year: i32) -> bool {
    (1..=9999).contains(&year)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap()
    }

    #[test]
    fn local_dates() {
        for (text, expected, time) in [
            ("2027-03-01", "2027-03-01 00:00:00", false),
            ("2027/03/01", "2027-03-01 00:00:00", false),
            ("2027-03-01 09:00", "2027-03-01 09:00:00", true),
            ("2027-03-01 00:00", "2027-03-01 00:00:00", true),
            ("2027-03-01 09:00:07", "2027-03-01 09:00:07", true),
            ("2027/03/01 09:00", "2027-03-01 09:00:00", true),
            ("2027/03/01T09:00:07", "2027-03-01 09:00:07", true),
            ("2027-03-01T09:00", "2027-03-01 09:00:00", true),
            (" 2027-03-01t09:00:07 ", "2027-03-01 09:00:07", true),
            ("2028-02-29", "2028-02-29 00:00:00", false),
            ("0001-01-01", "0001-01-01 00:00:00", false),
            ("9999-12-31 23:59:59", "9999-12-31 23:59:59", true),
        ] {
            let expected = DateTimeInput::Local {
                date_time: at(expected),
                has_time: time,
            };
            assert_eq!(DateTimeInput::parse(text), Ok(expected.clone()), "{text}");
            assert_eq!(DateTimeInput::from_query(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn instants_with_offset() {
        for (text, expected) in [
            ("2027-03-01T09:00:00Z", "2027-03-01 09:00:00"),
            ("2027-03-01t09:00:00z", "2027-03-01 09:00:00"),
            ("2027-03-01 09:00:00Z", "2027-03-01 09:00:00"),
            ("2027-03-01T09:00:00+02:00", "2027-03-01 07:00:00"),
            ("2027-03-01T09:00:00-03:30", "2027-03-01 12:30:00"),
            ("2027-03-01T09:00+02:00", "2027-03-01 07:00:00"),
            ("2027/03/01 09:00-05:00", "2027-03-01 14:00:00"),
            ("2027-03-01T09:00:00.999Z", "2027-03-01 09:00:00"),
            ("2027-03-01T09:00:00.123456789012+02:00", "2027-03-01 07:00:00"),
        ] {
            let expected = DateTimeInput::Instant(at(expected).and_utc());
            assert_eq!(DateTimeInput::parse(text), Ok(expected.clone()), "{text}");
            assert_eq!(DateTimeInput::from_query(text), Ok(expected), "{text}");
        }
    }
}
