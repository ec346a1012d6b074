//! The two variants of the interface (specification, "Variants").

/// Which variant a server serves. It is data of each request, so that one program serves both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Variant {
    // No doc comments on the members: clap would print them in `--help`.
    //
    // A: ten items per page. `end_date` bounds the start of events, and times are exact. The only bounds are
    // `start_date` and `end_date`.
    A,
    // B: five items per page, and more filters. `end_date` bounds the end of events, and bounds cover their whole day
    // unless `strict_dates` is set.
    B,
}

impl Variant {
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// Its letter, as the documents' file names have it.
    pub fn letter(self) -> char {
        match self {
            Self::A => 'a',
            Self::B => 'b',
        }
    }
}
