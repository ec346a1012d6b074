//! Writes a report into a file, between two markers.

use std::{fs, path::Path};

use anyhow::{Context, Result};

/// Replaces the text between the markers with this name, such as `<!-- written by cargo bench: begin -->`.
pub(crate) fn replace(file: &Path, name: &str, text: &str) -> Result<()> {
    let [begin, end] = ["begin", "end"].map(|end| format!("<!-- written by {name}: {end} -->"));
    let before = fs::read_to_string(file)?;
    let parts = before.split_once(&begin).and_then(|(head, rest)| {
        let (_, tail) = rest.split_once(&end)?;
        Some((head, tail))
    });
    let (head, tail) = parts.with_context(|| format!("{} has no lines {begin} and {end}", file.display()))?;
    let text = text.trim();
    Ok(fs::write(file, format!("{head}{begin}\n\n{text}\n\n{end}{tail}"))?)
}
