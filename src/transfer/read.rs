//! Reads the lines of a file, and checks that each record is valid and refers to earlier ones.

mod records;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::{BufRead, Read},
};

use tokio::sync::mpsc;

use super::{
    Contents, Progress, TransferError,
    batch::{Batch, Follower, Line, Summary},
    errors::LineErrors,
    header::{Counts, END, End, Header, ROW},
    kinds::RecordKind,
    record::Members,
};
use crate::store::entity::category;

/// The longest line, in bytes. A request that creates an event is shorter.
const MAX_LINE: u64 = 20 * 1024 * 1024;
/// A batch ends after so many rows, or so many bytes of lines.
const BATCH_ROWS: usize = 500;
const BATCH_BYTES: usize = 1024 * 1024;

/// Reads a file, and sends its rows in batches as long as there are no errors. Stops if the receiver is gone.
pub(super) fn read(
    input: impl BufRead,
    contents: Contents,
    sender: mpsc::Sender<Batch>,
    progress: &Progress,
) -> Result<Summary, TransferError> {
    let mut reader = Reader::new(contents, sender);
    reader.read_lines(input, progress)?;
    reader.finish()
}

struct Reader {
    contents: Contents,
    sender: mpsc::Sender<Batch>,
    errors: LineErrors,
    line: u64,
    header: Option<Header>,
    end: Option<End>,
    counts: Counts,
    batch: Batch,
    /// The kind of the last record, and its ID.
    last: Option<(RecordKind, i64)>,
    /// The IDs of all kinds but events.
    ids: HashMap<RecordKind, HashSet<i64>>,
    /// The keys that must be unique, by kind.
    unique: HashSet<(RecordKind, &'static str, String)>,
    /// The hashes of the IDs in other systems, with their kinds. A million events may have some.
    external_ids: HashSet<[u8; 16]>,
    /// All categories, until another kind follows.
    categories: BTreeMap<i64, Line<category::Model>>,
    parents: HashMap<i64, i64>,
    /// The published venues with coordinates.
    located: HashSet<i64>,
    followers: Vec<Follower>,
    /// The events that are followed and have not been read yet.
    followed: HashSet<i64>,
}

impl Reader {
    fn new(contents: Contents, sender: mpsc::Sender<Batch>) -> Self {
        Self {
            contents,
            sender,
            errors: LineErrors::default(),
            line: 0,
            header: None,
            end: None,
            counts: Counts::new(),
            batch: Batch::default(),
            last: None,
            ids: HashMap::new(),
            unique: HashSet::new(),
            external_ids: HashSet::new(),
            categories: BTreeMap::new(),
            parents: HashMap::new(),
            located: HashSet::new(),
            followers: Vec::new(),
            followed: HashSet::new(),
        }
    }

    fn read_lines(&mut self, mut input: impl BufRead, progress: &Progress) -> Result<(), TransferError> {
        let mut bytes = Vec::new();
        loop {
            progress.check()?;
            bytes.clear();
            let length = (&mut input).take(MAX_LINE + 1).read_until(b'\n', &mut bytes)?;
            if length == 0 {
                return Ok(());
            }
            self.line += 1;
            progress.add(length as u64);
            if bytes.len() as u64 > MAX_LINE {
                self.error("is longer than 20 MiB");
                // The rest of the line is no record.
                return Ok(());
            }
            match std::str::from_utf8(&bytes) {
                Ok(line) => self.read_line(line.trim_end_matches(['\n', '\r'])),
                Err(_) => self.error("must be UTF-8"),
            }
            if self.header.is_none() {
                return Ok(());
            }
            self.batch.bytes += length;
            if self.batch.lines as usize >= BATCH_ROWS || self.batch.bytes >= BATCH_BYTES {
                self.send()?;
            }
        }
    }

    fn error(&mut self, error: &str) {
        self.errors.add(self.line, error);
    }

    fn read_line(&mut self, line: &str) {
        if self.header.is_none() {
            match Header::parse(line, self.contents) {
                Ok(header) => self.header = Some(header),
                Err(error) => self.error(&error),
            }
            return;
        }
        if self.end.is_some() {
            self.error("follows the line of the kind \"end\", which must be the last one");
            return;
        }
        let mut errors = Vec::new();
        match Members::parse(line) {
            Ok(mut members) => match members.take::<String>("kind", "a text") {
                Ok(kind) if kind == END => self.read_end(line, &mut errors),
                Ok(kind) if kind == ROW => self.read_plain_row(&mut members, &mut errors),
                Ok(kind) => self.read_record(&kind, &mut members, &mut errors),
                Err(error) => errors.push(error),
            },
            Err(error) => errors.push(error),
        }
        for error in errors {
            self.error(&error);
        }
    }

    fn read_end(&mut self, line: &str, errors: &mut Vec<String>) {
        match serde_json::from_str::<End>(line) {
            Ok(mut end) => {
                end.counts.retain(|_, count| *count > 0);
                if end.counts != self.counts {
                    let (found, stated) = (&self.counts, &end.counts);
                    errors.push(format!(
                        "the file has {found:?}, and its end states {stated:?}: records are missing"
                    ));
                }
                self.end = Some(end);
            }
            Err(error) => errors.push(format!("must have the member counts: {error}")),
        }
    }

    /// Sends the batch, unless the file has errors: it is then only read to find all of them.
    fn send(&mut self) -> Result<(), TransferError> {
        let batch = std::mem::take(&mut self.batch);
        if self.errors.is_empty() && self.sender.blocking_send(batch).is_err() {
            return Err(TransferError::Interrupted);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Summary, TransferError> {
        self.add_categories();
        if self.line == 0 {
            self.line = 1;
            self.error("is missing: the file is empty");
        } else if self.header.is_some() && self.end.is_none() && self.errors.is_empty() {
            self.line += 1;
            self.error("is missing: the file ends before the line of the kind \"end\", so that it is incomplete");
        }
        for follower in &self.followers {
            if self.followed.contains(&follower.event_id) {
                let error = format!(
                    "the member follows_event_id refers to event {}, which the file does not have",
                    follower.event_id
                );
                self.errors.add(follower.line, &error);
            }
        }
        let Some(header) = self.header.take().filter(|_| self.errors.is_empty()) else {
            return Err(TransferError::Lines(self.errors));
        };
        self.send()?;
        Ok(Summary {
            uuid: header.uuid,
            last_ids: header.last_ids,
            counts: self.counts,
            followers: self.followers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"kind":"calendar","format":1,"contents":"export","uuid":"0c0c0a3e-7b55-4b7c-8a33-2f0f6a5b9d11","last_ids":{}}"#;

    fn tag_line(id: i64, name: &str, slug: &str) -> String {
        format!(
            r#"{{"kind":"tag","id":{id},"version":1,"modified_at":0,"name":"{name}","slug":"{slug}","description":"","former_slugs":[]}}"#
        )
    }

    fn category_line(id: i64, parent: i64) -> String {
        format!(
            r#"{{"kind":"category","id":{id},"version":1,"modified_at":0,"name":"c{id}","slug":"c{id}","description":"","parent":{parent},"former_slugs":[]}}"#
        )
    }

    fn end(counts: &str) -> String {
        format!(r#"{{"kind":"end","counts":{counts}}}"#)
    }

    /// The summary of a file, and all its batches.
    fn read_text(lines: &[String]) -> (Result<Summary, TransferError>, Vec<Batch>) {
        let (sender, mut receiver) = mpsc::channel(100);
        let text = lines.join("\n");
        let summary = read(text.as_bytes(), Contents::Export, sender, &Progress::default());
        let mut batches = Vec::new();
        while let Ok(batch) = receiver.try_recv() {
            batches.push(batch);
        }
        (summary, batches)
    }

    fn error_of(lines: &[String]) -> String {
        read_text(lines).0.expect_err("an invalid file").to_string()
    }

    #[test]
    fn parents_precede_children() {
        let lines = [
            HEADER.to_owned(),
            category_line(1, 3),
            category_line(2, 0),
            category_line(3, 2),
            end(r#"{"categories":3}"#),
        ];
        let (summary, batches) = read_text(&lines);
        assert_eq!(summary.unwrap().counts, Counts::from([("categories".to_owned(), 3)]));
        let ids: Vec<i64> = batches
            .iter()
            .flat_map(|batch| &batch.categories)
            .map(|row| row.id)
            .collect();
        assert_eq!(ids, [2, 3, 1]);
    }

    #[test]
    fn all_errors_are_reported_with_their_lines() {
        let lines = [
            HEADER.to_owned(),
            category_line(1, 2),
            category_line(2, 1),
            tag_line(4, "New", "new"),
            tag_line(3, "Fine", "fine"),
            tag_line(5, "NEW", "new"),
            "[]".to_owned(),
            r#"{"kind":"planet"}"#.to_owned(),
            end(r#"{"categories":2,"tags":7}"#),
        ];
        let error = error_of(&lines);
        for expected in [
            "line 2: category 1 has no root",
            "line 3: category 2 has no root",
            "line 5: records must be in the order",
            "line 6: another tag has the same slug, \"new\"",
            "line 6: another tag has the same name, \"new\"",
            "line 7: must be a JSON object",
            "line 8: the kind \"planet\" is unknown; known ones are user, image, category",
            "line 9: the file has",
        ] {
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }

    #[test]
    fn truncated_file_is_refused() {
        for (lines, expected) in [
            (vec![], "line 1: is missing: the file is empty"),
            (vec![HEADER.to_owned()], "line 2: is missing"),
            (vec![HEADER.to_owned(), tag_line(1, "a", "a")], "line 3: is missing"),
            (vec![HEADER.to_owned(), end(r#"{"tags":1}"#)], "records are missing"),
            (
                vec![HEADER.to_owned(), end("{}"), end("{}")],
                "line 3: follows the line",
            ),
            (vec![tag_line(1, "a", "a")], "line 1: must be the header"),
        ] {
            let error = error_of(&lines);
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }
}
