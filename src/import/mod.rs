//! Imports of calendars: from sites with The Events Calendar, from CSV files, and from iCalendar files and addresses.
//!
//! Each format is read to [`records`], whose values [`fit`] corrects to those that this program stores. A [`run`]
//! writes records in pages, one transaction each, with a checkpoint. [`page`] decides what a record changes.

pub(crate) mod csv;
mod fit;
pub(crate) mod http;
pub(crate) mod ics;
mod names;
mod page;
mod records;
pub(crate) mod refresh;
pub(crate) mod run;
mod slugs;
pub(crate) mod tec;
mod terminal;
pub(crate) mod undo;

use std::str::FromStr;

use clap::ValueEnum;
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::error::Problem;

pub(crate) use page::WriteOptions;
pub(crate) use terminal::{is_printable, printable};

/// The key of notes that are not on single objects.
pub(crate) const WHOLE: &str = "*";

/// A format that calendars are imported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A site with The Events Calendar.
    Tec,
    /// Files with comma-separated values.
    Csv,
    /// Files and addresses with iCalendar data.
    Ics,
}

impl Format {
    /// The name in the database.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tec => "tec",
            Self::Csv => "csv",
            Self::Ics => "ics",
        }
    }
}

impl FromStr for Format {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let mut all = [Self::Tec, Self::Csv, Self::Ics].into_iter();
        all.find(|format| format.name() == name).ok_or(())
    }
}

/// Which side wins when an object is imported again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authority {
    /// The source: changes made here are replaced
    Source,
    /// The calendar: only empty fields are filled in
    Fill,
    /// The calendar: an object is imported once and never updated
    Once,
    /// The source, unless the object was changed here
    #[value(skip)]
    Unedited,
}

/// The error of an import.
#[derive(Debug, Error)]
pub enum ImportError {
    #[error("database error: {0}")]
    Database(#[from] DbErr),
    /// The source can't be read, or its content can't be understood.
    #[error("{0}")]
    Source(String),
    /// Errors of the input, one per line.
    #[error("{}", .0.join("\n"))]
    Invalid(Vec<String>),
    #[error("{0}")]
    Conflict(String),
    /// A write of a series has failed.
    #[error("{problem}")]
    Write {
        problem: Problem,
        /// Whether PostgreSQL has aborted the transaction in favour of another writer.
        is_conflict: bool,
    },
    /// Ctrl-C. What was written before stays, and the same command continues there.
    #[error("stopped; what was imported so far is stored, and the same command continues where this one has stopped")]
    Stopped,
    /// Ctrl-C, when nothing was written.
    #[error("stopped; nothing was stored")]
    Abandoned,
}
