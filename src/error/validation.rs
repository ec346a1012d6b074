//! Validation errors of a request, by field.

use std::collections::BTreeMap;

use super::Problem;

/// The validation error of one field or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub code: &'static str,
    pub message: String,
}

impl FieldError {
    /// A value with an invalid format or out of range. The message follows the field name: "must be …".
    pub fn invalid(message: impl Into<String>) -> Self {
        Self {
            code: "rest_invalid_param",
            message: message.into(),
        }
    }

    /// A value of the wrong type.
    pub fn wrong_type(message: impl Into<String>) -> Self {
        Self {
            code: "rest_invalid_type",
            message: message.into(),
        }
    }

    /// References to objects that do not exist.
    pub fn unknown_references(expected: &str, unknown: &[String]) -> Self {
        Self::invalid(format!("{expected}; unknown: {}", unknown.join(", ")))
    }

    /// A required value that is absent or empty.
    pub fn missing() -> Self {
        Self {
            code: MISSING,
            message: "is required".to_owned(),
        }
    }
}

const MISSING: &str = "rest_missing_callback_param";

/// The validation errors of a request, by field. All are reported at once.
#[derive(Clone, Debug, Default)]
pub struct ValidationErrors(BTreeMap<String, FieldError>);

impl ValidationErrors {
    /// Adds an error. The first error of a field is kept.
    pub fn add(&mut self, field: &str, error: FieldError) {
        self.0.entry(field.to_owned()).or_insert(error);
    }

    /// Adds other errors.
    pub fn extend(&mut self, others: &Self) {
        for (field, error) in others.iter() {
            self.add(field, error.clone());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the field has an error.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// All errors, ordered by field name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FieldError)> {
        self.0.iter().map(|(name, error)| (name.as_str(), error))
    }

    /// The code that all errors share, if all are errors of nested objects.
    fn common_nested_code(&self) -> Option<&'static str> {
        let code = self.0.values().next()?.code;
        let is_common = self.0.values().all(|error| error.code == code);
        (is_common && code.starts_with("could-not-create-")).then_some(code)
    }

    /// Ok without errors, otherwise a 400 that lists all of them.
    pub fn into_result(self) -> Result<(), Problem> {
        if self.is_empty() {
            return Ok(());
        }
        let names = |code: Option<&str>| {
            self.0
                .iter()
                .filter(|(_, error)| code.is_none_or(|code| error.code == code))
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let missing = names(Some(MISSING));
        let code = if missing.is_empty() {
            self.common_nested_code().unwrap_or("rest_invalid_param")
        } else {
            MISSING
        };
        let message = match missing.as_str() {
            "" => format!("Invalid parameter(s): {}", names(None)),
            missing => format!("Missing parameter(s): {missing}"),
        };
        let problem = Problem::bad_request(code, message);
        Err(problem.with_errors(&self))
    }
}
