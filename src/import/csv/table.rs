//! Tables with the columns of The Events Calendar's importer.

use std::collections::BTreeMap;

use ::csv::{ReaderBuilder, StringRecord};

use super::super::{ImportError, printable};

/// A column: its key, and its label in English. Headings of both forms are accepted.
pub(super) type Column = (&'static str, &'static str);

/// The columns of events.
pub(super) const EVENTS: &[Column] = &[
    ("event_name", "Event Name"),
    ("event_description", "Event Description"),
    ("event_excerpt", "Event Excerpt"),
    ("event_start_date", "Event Start Date"),
    ("event_start_time", "Event Start Time"),
    ("event_end_date", "Event End Date"),
    ("event_end_time", "Event End Time"),
    ("event_timezone", "Event Time Zone"),
    ("event_all_day", "All Day Event"),
    ("event_hide", "Hide Event From Event Listings"),
    ("event_sticky", "Event Sticky in Month View"),
    ("feature_event", "Feature Event"),
    ("event_venue_name", "Event Venue Name"),
    ("event_organizer_name", "Event Organizer Name(s) or ID(s)"),
    ("event_show_map_link", "Event Show Map Link"),
    ("event_show_map", "Event Show Map"),
    ("event_cost", "Event Cost"),
    ("event_currency_symbol", "Event Currency Symbol"),
    ("event_currency_position", "Event Currency Position"),
    ("event_currency_code", "Event ISO Currency Code"),
    ("event_category", "Event Category"),
    ("event_tags", "Event Tags"),
    ("event_website", "Event Website"),
    ("featured_image", "Event Featured Image"),
    ("event_comment_status", "Event Allow Comments"),
    ("event_ping_status", "Event Allow Trackbacks and Pingbacks"),
];

/// The columns of venues.
pub(super) const VENUES: &[Column] = &[
    ("venue_name", "Venue Name"),
    ("venue_description", "Description"),
    ("venue_country", "Country"),
    ("venue_address", "Address"),
    ("venue_address2", "Address 2"),
    ("venue_city", "City"),
    ("venue_state", "State/Province"),
    ("venue_zip", "Zip"),
    ("venue_phone", "Phone"),
    ("venue_url", "Website"),
    ("featured_image", "Featured Image"),
];

/// The columns of organizers.
pub(super) const ORGANIZERS: &[Column] = &[
    ("organizer_name", "Organizer Name"),
    ("organizer_description", "Description"),
    ("organizer_email", "Email"),
    ("organizer_website", "Website"),
    ("organizer_phone", "Phone"),
    ("featured_image", "Featured Image"),
];

/// A table. All its columns are known.
#[derive(Debug)]
pub(super) struct Table {
    pub rows: Vec<Row>,
}

/// A row, with its values by the keys of their columns.
#[derive(Debug)]
pub(super) struct Row {
    /// The line at which it begins, from 1.
    pub line: u64,
    columns: &'static [Column],
    values: BTreeMap<&'static str, String>,
}

impl Row {
    /// The trimmed value of a column. None if the table does not have the column.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// The value of a column; none if it is empty or if the table does not have the column.
    pub(super) fn filled(&self, key: &str) -> Option<&str> {
        self.get(key).filter(|value| !value.is_empty())
    }

    /// An error in a value, with the label of its column and what would be right.
    pub(super) fn error(&self, key: &str, expected: &str) -> String {
        let label = self
            .columns
            .iter()
            .find(|(known, _)| *known == key)
            .map_or(key, |(_, label)| *label);
        let value = printable(self.get(key).unwrap_or_default());
        let value: String = value.chars().take(80).collect();
        format!("line {}: {label} \"{value}\" {expected}", self.line)
    }
}

/// Reads a table. Fails with all errors in its headings.
pub(super) fn read(content: &[u8], columns: &'static [Column]) -> Result<Table, ImportError> {
    let text = as_text(content)?;
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter(text))
        .flexible(true)
        .from_reader(text.as_bytes());
    let headings = reader.headers().map_err(|error| invalid(&error))?.clone();
    let keys = keys(&headings, columns)?;
    let mut rows = Vec::new();
    let mut errors = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                errors.push(error.to_string());
                continue;
            }
        };
        let line = record.position().map_or(0, ::csv::Position::line);
        if record.len() > headings.len() {
            errors.push(format!(
                "line {line} has {} values, but there are {} columns; put values with commas in quotes",
                record.len(),
                headings.len()
            ));
            continue;
        }
        if record.iter().all(|value| value.trim().is_empty()) {
            continue;
        }
        let values = keys
            .iter()
            .zip(record.iter())
            .map(|(key, value)| (*key, value.trim().to_owned()));
        rows.push(Row {
            line,
            columns,
            values: values.collect(),
        });
    }
    match errors.is_empty() {
        true => Ok(Table { rows }),
        false => Err(ImportError::Invalid(errors)),
    }
}

fn invalid(error: &::csv::Error) -> ImportError {
    ImportError::Invalid(vec![error.to_string()])
}

/// The text without a byte order mark.
fn as_text(content: &[u8]) -> Result<&str, ImportError> {
    let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
    std::str::from_utf8(content).map_err(|error| {
        let line = 1 + content[..error.valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        ImportError::Invalid(vec![format!(
            "line {line} is not in UTF-8; save the file with the encoding UTF-8"
        )])
    })
}

/// Programs in countries with decimal commas separate values by semicolons.
fn delimiter(text: &str) -> u8 {
    let headings = text.lines().next().unwrap_or_default();
    match headings.contains(';') && !headings.contains(',') {
        true => b';',
        false => b',',
    }
}

/// A heading for comparison: case, spaces, underscores and signs are ignored.
fn normal(heading: &str) -> String {
    heading
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The key of each heading.
fn keys(headings: &StringRecord, columns: &'static [Column]) -> Result<Vec<&'static str>, ImportError> {
    let mut keys: Vec<&'static str> = Vec::new();
    let mut errors = Vec::new();
    for heading in headings {
        let wanted = normal(heading);
        let column = columns
            .iter()
            .find(|(key, label)| normal(key) == wanted || normal(label) == wanted);
        match column {
            Some((key, _)) if keys.contains(key) => {
                errors.push(format!("there are two columns \"{}\"", printable(heading)));
            }
            Some((key, _)) => keys.push(key),
            None => errors.push(format!(
                "unknown column \"{}\"; the nearest known one is \"{}\"",
                printable(heading),
                nearest(&wanted, columns)
            )),
        }
    }
    if let Some((required, label)) = columns.first()
        && !keys.contains(required)
    {
        errors.push(format!(
            "the column \"{label}\" is missing; the first line must have the names of the columns"
        ));
    }
    match errors.is_empty() {
        true => Ok(keys),
        false => {
            let known: Vec<&str> = columns.iter().map(|(_, label)| *label).collect();
            errors.push(format!("known columns: {}", known.join(", ")));
            Err(ImportError::Invalid(errors))
        }
    }
}

fn nearest(wanted: &str, columns: &'static [Column]) -> &'static str {
    let distance = |label: &str| strsim::damerau_levenshtein(&normal(label), wanted);
    columns
        .iter()
        .map(|(_, label)| *label)
        .min_by_key(|label| distance(label))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(content: &str) -> Vec<String> {
        match read(content.as_bytes(), EVENTS) {
            Err(ImportError::Invalid(errors)) => errors,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn headings_by_key_and_label() {
        for headings in [
            "Event Name,Event Start Date,Event Organizer Name(s) or ID(s)",
            "event_name,EVENT_START_DATE,event organizer name",
            "EventName*,event start date,EventOrganizerNamesOrIDs",
        ] {
            let table = read(format!("{headings}\nJazz, 2027-03-01 ,Ann").as_bytes(), EVENTS).expect("a table");
            let row = &table.rows[0];
            assert_eq!(row.get("event_name"), Some("Jazz"), "{headings}");
            assert_eq!(row.get("event_start_date"), Some("2027-03-01"));
            assert_eq!(row.get("event_organizer_name"), Some("Ann"));
            assert_eq!(row.get("event_cost"), None);
            assert_eq!(row.line, 2);
        }
    }

    #[test]
    fn all_unknown_columns_are_named() {
        let errors = errors("Event Nam,Venue,Event Start Date\n");
        assert!(
            errors[0].contains("\"Event Nam\"") && errors[0].contains("\"Event Name\""),
            "{errors:?}"
        );
        assert!(errors[1].contains("\"Venue\""), "{errors:?}");
        assert!(errors[2].contains("\"Event Name\" is missing"), "{errors:?}");
    }

    #[test]
    fn lines_of_errors() {
        let errors = errors("Event Name,Event Start Date\n\"two\nlines\",2027-03-01\nJazz, Blues,2027-03-01\n");
        assert!(errors[0].starts_with("line 4 has 3 values"), "{errors:?}");
        assert_eq!(
            read(b"Event Name\n\xff\n", EVENTS)
                .map(|_| ())
                .map_err(|error| error.to_string()),
            Err("line 2 is not in UTF-8; save the file with the encoding UTF-8".to_owned())
        );
    }

    #[test]
    fn semicolons_and_byte_order_mark() {
        let table = read("\u{feff}Event Name;Event Cost\nJazz;10,50 €\n\n".as_bytes(), EVENTS).expect("a table");
        assert_eq!(table.rows.len(), 1);
        assert_eq!(table.rows[0].get("event_cost"), Some("10,50 €"));
    }
}
