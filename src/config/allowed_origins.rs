//! The origins of pages that may use the interface.

use std::str::FromStr;

use url::Url;

/// The origins whose pages may read responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedOrigins {
    /// Every origin: `*`.
    All,
    /// Only the listed origins.
    Listed(Vec<String>),
}

/// The error of a text that is not a list of origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be *, or origins such as https://example.org separated by commas")]
pub struct InvalidOrigins;

impl AllowedOrigins {
    /// Returns true if CORS allows pages of the origin to read responses.
    pub fn may_read(&self, origin: &str) -> bool {
        matches!(self, Self::All) || self.lists(origin)
    }

    /// Returns true if the operator has listed the origin explicitly. Pages of such an origin may also write with HTTP
    /// Basic authentication.
    pub fn lists(&self, origin: &str) -> bool {
        match self {
            Self::All => false,
            Self::Listed(origins) => origins.iter().any(|listed| listed == origin),
        }
    }
}

impl FromStr for AllowedOrigins {
    type Err = InvalidOrigins;

    fn from_str(text: &str) -> Result<Self, InvalidOrigins> {
        if text == "*" {
            return Ok(Self::All);
        }
        let is_origin = |text: &str| Url::parse(text).is_ok_and(|url| url.origin().ascii_serialization() == text);
        let origins = text.split(',').map(str::trim);
        match origins.clone().all(is_origin) {
            true => Ok(Self::Listed(origins.map(str::to_owned).collect())),
            false => Err(InvalidOrigins),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_listed_or_all() {
        let (one, two) = ("https://one.example", "http://two.example");
        for (text, may_read, is_listed) in [
            ("*", [true, true], [false, false]),
            ("https://one.example", [true, false], [true, false]),
            ("https://one.example, http://two.example", [true, true], [true, true]),
        ] {
            let allowed: AllowedOrigins = text.parse().expect(text);
            assert_eq!([one, two].map(|origin| allowed.may_read(origin)), may_read, "{text}");
            assert_eq!([one, two].map(|origin| allowed.lists(origin)), is_listed, "{text}");
            assert!(!allowed.lists("*"), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_origins() {
        for text in ["", "one.example", "https://one.example/", "https://one.example,*"] {
            assert_eq!(text.parse::<AllowedOrigins>(), Err(InvalidOrigins), "{text}");
        }
    }
}
