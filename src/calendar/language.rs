//! The languages of texts for visitors.

/// A language of pages, of rules in words, and of the OpenAPI document.
#[expect(missing_docs, reason = "clap would print comments on the members in --help")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    En,
    Es,
}

impl Language {
    /// The language tag (BCP 47).
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
        }
    }

    /// The names of the months, from January.
    pub(crate) const fn month_names(self) -> [&'static str; 12] {
        match self {
            Self::En => [
                "January",
                "February",
                "March",
                "April",
                "May",
                "June",
                "July",
                "August",
                "September",
                "October",
                "November",
                "December",
            ],
            Self::Es => [
                "enero",
                "febrero",
                "marzo",
                "abril",
                "mayo",
                "junio",
                "julio",
                "agosto",
                "septiembre",
                "octubre",
                "noviembre",
                "diciembre",
            ],
        }
    }

    /// The names of the weekdays, from Monday.
    pub(crate) const fn weekday_names(self) -> [&'static str; 7] {
        match self {
            Self::En => [
                "Monday",
                "Tuesday",
                "Wednesday",
                "Thursday",
                "Friday",
                "Saturday",
                "Sunday",
            ],
            Self::Es => ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
        }
    }
}
