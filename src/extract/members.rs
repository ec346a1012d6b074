//! The names of the members of representations, and the parameter `fields`, which selects some of them.

use std::marker::PhantomData;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{MaybeUndefined, Type},
};

use super::{
    FromInput, InputValue, Parameter,
    unknown_names::{MAX_NAMES, UnknownName},
};
use crate::error::FieldError;

/// A representation of which a client can select members. [`selectable`] implements it.
pub(crate) trait Selectable: Clone + 'static {
    fn members() -> &'static Members;

    /// The parameters that select members: `fields`.
    fn parameters() -> &'static [Parameter];
}

/// Implements [`Selectable`] for a representation, with the example of `fields`. The members are those of the schema,
/// unless they are given.
macro_rules! selectable {
    ($view:ty, $($example:literal),+) => {
        $crate::extract::selectable!($view, $($example),+; $crate::extract::Members::of::<Self>());
    };
    ($view:ty, $($example:literal),+; $members:expr) => {
        impl $crate::extract::Selectable for $view {
            fn members() -> &'static $crate::extract::Members {
                static MEMBERS: std::sync::OnceLock<$crate::extract::Members> = std::sync::OnceLock::new();
                MEMBERS.get_or_init(|| $members)
            }

            fn parameters() -> &'static [$crate::extract::Parameter] {
                static PARAMETERS: std::sync::OnceLock<[$crate::extract::Parameter; 1]> = std::sync::OnceLock::new();
                PARAMETERS.get_or_init(|| [$crate::extract::members::parameter::<Self>(&[$($example),+])])
            }
        }
    };
}

pub(crate) use selectable;

/// Operations without a choice of members.
impl Selectable for () {
    fn members() -> &'static Members {
        static NONE: Members = Members(Vec::new());
        &NONE
    }

    fn parameters() -> &'static [Parameter] {
        &[]
    }
}

/// The names of the members of an object, each with those of the object or the objects that it contains.
#[derive(Debug)]
pub(crate) struct Members(Vec<(&'static str, Option<Self>)>);

impl Members {
    /// The members of a representation, from its schema.
    pub(crate) fn of<T: Type>() -> Self {
        let mut registry = Registry::new();
        T::register(&mut registry);
        Self::of_schema(&registry, &T::schema_ref()).unwrap_or(Self(Vec::new()))
    }

    /// The members of an object whose schema allows any.
    pub(crate) fn named(names: &[&'static str]) -> Self {
        Self(names.iter().map(|name| (*name, None)).collect())
    }

    /// The members of an object, or of the items of an array. None for other values, and for objects with any members.
    fn of_schema(registry: &Registry, schema: &MetaSchemaRef) -> Option<Self> {
        let schema: &MetaSchema = match schema {
            MetaSchemaRef::Inline(schema) => schema,
            MetaSchemaRef::Reference(name) => registry.schemas.get(name)?,
        };
        if schema.properties.is_empty() {
            let mut parts = schema.items.as_deref().into_iter().chain(&schema.all_of);
            return parts.find_map(|part| Self::of_schema(registry, part));
        }
        let members = schema.properties.iter();
        Some(Self(
            members
                .map(|(name, member)| (*name, Self::of_schema(registry, member)))
                .collect(),
        ))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }

    /// The member with this name, with the members inside it.
    pub(crate) fn find(&self, name: &str) -> Option<&(&'static str, Option<Self>)> {
        self.0.iter().find(|(known, _)| *known == name)
    }
}

/// The declaration of `fields` for a representation.
pub(crate) fn parameter<V: Selectable>(example: &[&str]) -> Parameter {
    const DESCRIPTION: &str = "Only these members of the object, or of each item of a list, as `id,title` or by \
         repeating the parameter; an unknown one returns 400. The others are absent, although the schema of the \
         response requires them.";
    Parameter::new::<MaybeUndefined<MemberNames<V>>>("fields", DESCRIPTION).example(example.to_vec())
}

/// The names of members of `V`, without duplicates.
pub(crate) struct MemberNames<V> {
    pub names: Vec<&'static str>,
    of: PhantomData<fn() -> V>,
}

impl<V: Selectable> FromInput for MemberNames<V> {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        // Without a name: Go clients declare the values of all named enumerations in one namespace.
        let name = MetaSchema {
            enum_items: V::members().names().map(Into::into).collect(),
            ..MetaSchema::new("string")
        };
        MetaSchema {
            items: Some(Box::new(MetaSchemaRef::Inline(Box::new(name)))),
            ..MetaSchema::new("array")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let mut names = Vec::new();
        let mut unknown = Vec::new();
        for item in input.items() {
            let name = item.as_str().unwrap_or_default();
            match V::members().find(name) {
                Some((name, _)) if names.contains(name) => {}
                Some((name, _)) => names.push(*name),
                None if unknown.len() == MAX_NAMES => break,
                None => unknown.push(UnknownName::new(name, V::members().names()).to_string()),
            }
        }
        if !unknown.is_empty() {
            return Err(FieldError::unknown_references(
                "must be names of members of the response",
                &unknown,
            ));
        }
        let of = PhantomData;
        Ok(Self { names, of })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{extract::InputFormat, views::venue::VenueView};

    fn read(text: &str) -> Result<Vec<&'static str>, String> {
        let (value, format) = (json!(text), InputFormat::Query);
        let names = MemberNames::<VenueView>::from_input(InputValue { value: &value, format });
        names.map(|names| names.names).map_err(|error| error.message)
    }

    #[test]
    fn members_include_those_inside() {
        let members = VenueView::members();
        let inside = |name| members.find(name).map(|(_, inside)| inside.is_some());
        assert_eq!(inside("id"), Some(false));
        assert_eq!(inside("image"), Some(true));
        // It may have any members.
        assert_eq!(inside("json_ld"), Some(false));
        assert_eq!(inside("name"), None);
    }

    #[test]
    fn known_names_are_selected_once() {
        assert_eq!(read("city,id, city,"), Ok(vec!["city", "id"]));
        assert_eq!(
            read("id,citty,Id"),
            Err("must be names of members of the response; unknown: citty (nearest: city), Id (nearest: id)".into())
        );
    }
}
