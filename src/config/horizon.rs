//! How far ahead events are created.

use std::{fmt, str::FromStr};

use chrono::Months;

/// A number of months from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Horizon(u32);

/// The error of a text that is not a horizon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of months or years, from 1 month to 10 years, such as 24 months")]
pub struct InvalidHorizon;

/// Two years.
impl Default for Horizon {
    fn default() -> Self {
        Self(24)
    }
}

impl Horizon {
    /// The number of months.
    pub fn months(self) -> Months {
        Months::new(self.0)
    }
}

impl FromStr for Horizon {
    type Err = InvalidHorizon;

    fn from_str(text: &str) -> Result<Self, InvalidHorizon> {
        let unit = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let number: u32 = text[..text.len() - unit.len()].parse().map_err(|_| InvalidHorizon)?;
        let months = match unit.trim() {
            "month" | "months" => Some(number),
            "year" | "years" | "y" => number.checked_mul(12),
            _ => None,
        };
        months
            .filter(|months| (1..=120).contains(months))
            .map(Self)
            .ok_or(InvalidHorizon)
    }
}

impl fmt::Display for Horizon {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} months", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_and_years() {
        for (text, months) in [
            ("24 months", Some(24)),
            ("1 month", Some(1)),
            ("24months", Some(24)),
            ("10 years", Some(120)),
            ("11 years", None),
            ("0 months", None),
            ("24", None),
            ("months", None),
            ("-1 months", None),
            ("5000000000 years", None),
        ] {
            assert_eq!(text.parse().ok(), months.map(Horizon), "{text}");
        }
    }
}
