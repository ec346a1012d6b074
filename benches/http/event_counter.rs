//! Counts the events of a calendar in iCalendar.

/// The line that begins an event. Its first letter does not occur in it again, so that a partial match never hides the
/// beginning of another one.
const BEGIN: &[u8] = b"BEGIN:VEVENT";

/// Counts the events of a text that arrives in parts.
#[derive(Default)]
pub(crate) struct EventCounter {
    pub events: u64,
    /// The number of bytes of [`BEGIN`] with which the text so far ends.
    matched: usize,
}

impl EventCounter {
    /// Adds the next part of the text.
    pub(crate) fn add(&mut self, part: &[u8]) {
        for byte in part {
            self.matched = match *byte == BEGIN[self.matched] {
                true => self.matched + 1,
                false => usize::from(*byte == BEGIN[0]),
            };
            if self.matched == BEGIN.len() {
                self.events += 1;
                self.matched = 0;
            }
        }
    }
}
