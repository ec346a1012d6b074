//! Numbers of events with suffixes.

/// Parses `1k`, `100k`, `1m`.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.to_ascii_lowercase();
    let (digits, factor) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => match text.strip_suffix('m') {
            Some(digits) => (digits, 1_000_000),
            None => (text.as_str(), 1),
        },
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .filter(|number| *number >= 100)
        .ok_or_else(|| "must be a number of at least 100, such as 1k, 100k or 1m".to_owned())
}

/// Formats as `1k`, `100k`, `1m`.
pub(crate) fn label(events: u64) -> String {
    if events >= 1_000_000 && events.is_multiple_of(1_000_000) {
        format!("{}m", events / 1_000_000)
    } else if events >= 1_000 && events.is_multiple_of(1_000) {
        format!("{}k", events / 1_000)
    } else {
        events.to_string()
    }
}
