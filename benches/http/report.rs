//! Formats the results as Markdown.

use std::{fmt::Write as _, time::Duration};

use anyhow::Result;

use crate::{
    database::{Backend, SETTINGS},
    machine,
    measurement::Row,
    results::{DatabaseFigures, Results},
    size, targets,
};

/// The complete report.
pub(crate) fn markdown(results: &Results) -> Result<String> {
    let mut text = String::new();
    writeln!(text, "Measured on {}\n", machine::description("http"))?;
    let databases = results.databases();
    if databases.contains(&Backend::Postgres) {
        let settings = SETTINGS.join(", ");
        writeln!(text, "PostgreSQL runs with its default settings except {settings}.\n")?;
    }
    for database in &databases {
        writeln!(text, "### Targets on {}\n", database.name())?;
        write_targets(&mut text, results, *database)?;
    }
    writeln!(text, "### Start, memory, bulk load\n")?;
    write_figures(&mut text, results)?;
    for database in &databases {
        writeln!(text, "### Operations on {}\n", database.name())?;
        let rows = results.rows.iter();
        write_rows(&mut text, rows.filter(|row| row.database == *database))?;
    }
    Ok(text)
}

fn write_targets(text: &mut String, results: &Results, database: Backend) -> Result<()> {
    writeln!(text, "| target | required | measured | |\n|---|---|---|---|")?;
    for verdict in targets::evaluate(results, database) {
        let reached = match (&verdict.measured, verdict.is_reached) {
            (None, _) | (_, None) => "",
            (Some(_), Some(true)) => "reached",
            (Some(_), Some(false)) => "**not reached**",
        };
        let measured = verdict.measured.as_deref().unwrap_or("not measured");
        let (target, required) = (verdict.target, verdict.required);
        writeln!(text, "| {target} | {required} | {measured} | {reached} |")?;
    }
    Ok(writeln!(text)?)
}

fn write_figures(text: &mut String, results: &Results) -> Result<()> {
    writeln!(
        text,
        "The size of the program is {}.\n",
        format_megabytes(results.program)
    )?;
    writeln!(
        text,
        "| database | events | bulk load | start to first response | idle memory | peak memory under load | \
         growth under load |\n\
         |---|---:|---:|---:|---:|---:|---:|"
    )?;
    for figures in &results.figures {
        let (peak, growth) = match figures.under_load {
            Some(under_load) => (
                format_megabytes(under_load.max),
                format!("{:.1} MB", under_load.growth as f64 / 1e6),
            ),
            None => Default::default(),
        };
        writeln!(
            text,
            "| {} | {} | {:.0} events/s | {} | {} | {peak} | {growth} |",
            figures.database.name(),
            size::label(figures.events),
            figures.load_rate(),
            format_milliseconds(figures.time_to_first_response),
            format_megabytes(figures.idle),
        )?;
    }
    writeln!(text)?;
    write_slow_feeds(text, &results.figures)?;
    write_load_output(text, &results.figures)?;
    write_instructions(text, &results.figures)
}

/// Memory while a feed is read slowly.
fn write_slow_feeds(text: &mut String, figures: &[DatabaseFigures]) -> Result<()> {
    if figures.iter().all(|figures| figures.slow_feed.is_none()) {
        return Ok(());
    }
    writeln!(
        text,
        "| feed read slowly | events of the feed | size | memory before | peak memory | rate of other clients |\n\
         |---|---:|---:|---:|---:|---:|"
    )?;
    for figures in figures {
        if let Some(slow_feed) = figures.slow_feed {
            writeln!(
                text,
                "| {}, {} | {} | {} | {} | {} | {:.2} × |",
                figures.database.name(),
                size::label(figures.events),
                slow_feed.events,
                format_megabytes(slow_feed.length),
                format_megabytes(slow_feed.before),
                format_megabytes(slow_feed.max),
                slow_feed.rate_ratio,
            )?;
        }
    }
    Ok(writeln!(text)?)
}

/// The output of the bulk load.
fn write_load_output(text: &mut String, figures: &[DatabaseFigures]) -> Result<()> {
    writeln!(text, "Output of `almanac demo`:\n")?;
    for figures in figures {
        let (name, events) = (figures.database.name(), size::label(figures.events));
        let lines = figures.load.1.lines();
        // The first start prints a password.
        let lines: Vec<&str> = lines.filter(|line| !line.contains("password")).collect();
        writeln!(text, "- {name}, {events}: {}", lines.join("; "))?;
    }
    Ok(writeln!(text)?)
}

fn write_instructions(text: &mut String, figures: &[DatabaseFigures]) -> Result<()> {
    if figures.iter().all(|figures| figures.instructions.is_empty()) {
        return Ok(());
    }
    writeln!(
        text,
        "| operation | database | events | instructions per request |\n|---|---|---:|---:|"
    )?;
    for figures in figures {
        let (database, events) = (figures.database.name(), size::label(figures.events));
        for (name, instructions) in &figures.instructions {
            writeln!(text, "| {name} | {database} | {events} | {instructions} |")?;
        }
    }
    Ok(writeln!(text)?)
}

fn write_rows<'a>(text: &mut String, rows: impl Iterator<Item = &'a Row>) -> Result<()> {
    writeln!(
        text,
        "| operation | events | connections | requests/s | p50 | p99 | ratio to the baseline |\n\
         |---|---:|---:|---:|---:|---:|---:|"
    )?;
    for row in rows {
        writeln!(text, "{}", table_row(row))?;
    }
    Ok(writeln!(text)?)
}

/// A row of the table of operations.
pub(crate) fn table_row(row: &Row) -> String {
    let ratio = row.ratio.map_or_else(String::new, format_ratio);
    let error = if row.measured.error.is_some() {
        " (**with errors**)"
    } else {
        ""
    };
    format!(
        "| {}{error} | {} | {} | {:.0} | {} | {} | {ratio} |",
        row.name,
        size::label(row.events),
        row.connections,
        row.measured.rate,
        format_milliseconds(row.measured.p50),
        format_milliseconds(row.measured.p99),
    )
}

/// With two decimal places, or four if small.
pub(crate) fn format_ratio(ratio: f64) -> String {
    let digits = if ratio < 0.1 { 4 } else { 2 };
    format!("{ratio:.digits$}")
}

/// With three significant digits.
pub(crate) fn format_milliseconds(duration: Duration) -> String {
    let milliseconds = duration.as_secs_f64() * 1e3;
    let digits = match milliseconds {
        ..1.0 => 3,
        1.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    format!("{milliseconds:.digits$} ms")
}

/// Megabytes are millions of bytes.
pub(crate) fn format_megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
