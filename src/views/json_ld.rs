//! Linked data in the vocabulary of schema.org.

use serde::{Serialize, Serializer};

use crate::extract::JsonText;

pub(crate) const CONTEXT: &str = "https://schema.org";

/// The members of an object that is not part of another one.
pub(super) fn document(object: &impl Serialize) -> JsonText {
    #[derive(Serialize)]
    struct Document<'a, T> {
        #[serde(rename = "@context")]
        context: &'static str,
        #[serde(flatten)]
        object: &'a T,
    }
    let context = CONTEXT;
    JsonText::of(&Document { context, object }).expect("a struct serialises to a JSON object")
}

/// Several objects. A single one is written without a list around it.
pub(super) struct OneOrList<T>(pub Vec<T>);

impl<T: Serialize> Serialize for OneOrList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}
