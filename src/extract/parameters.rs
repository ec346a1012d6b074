//! Request structs: one struct per parameter set and per payload defines both parsing and documentation.
//!
//! `#[derive(Parameters)]` lists the fields of a struct as [`Parameter`]s. From this list, [`read`] parses a request,
//! and [`properties`] declares it in the OpenAPI document.

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::MaybeUndefined,
};
use serde_json::Value;

use super::{Fields, FromInput};
use crate::calendar::Variant;

/// A struct whose fields are parameters of a query, or fields of a body. Derived.
pub(crate) trait Parameters: Send + Sized + 'static {
    /// The parameters in the order of the document.
    fn parameters() -> &'static [Parameter];

    /// Parses the values. Errors are added to `fields.errors`.
    fn take(fields: &mut Fields) -> Self;
}

/// No parameters.
impl Parameters for () {
    fn parameters() -> &'static [Parameter] {
        &[]
    }

    fn take(_fields: &mut Fields) -> Self {}
}

/// The type of a field of a request struct.
pub(crate) trait ParameterType {
    /// See [`FromInput::schema`].
    fn schema(registry: &mut Registry) -> MetaSchema;
}

impl<T: FromInput> ParameterType for MaybeUndefined<T> {
    fn schema(registry: &mut Registry) -> MetaSchema {
        T::schema(registry)
    }
}

/// The kind of request that a struct is parsed from or documented for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Query,
    /// The body of a create. Fields may be required and have defaults.
    Create,
    /// The body of an update. No field is required, and null clears a field if it is clearable.
    Update,
    /// An object nested in another body.
    Nested,
}

/// The declaration of one parameter or field. A builder: each method is an attribute of `#[param(…)]`.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: &'static str,
    description: &'static str,
    schema: fn(&mut Registry) -> MetaSchema,
    example: Option<Value>,
    default: Option<Value>,
    is_required: bool,
    is_clearable: bool,
    is_nullable: bool,
    is_untyped: bool,
    shared: Option<SharedSchema>,
    changes: Vec<fn(MetaSchema) -> MetaSchema>,
    only: Option<Variant>,
    in_variant: Vec<(Variant, Override)>,
}

/// A named schema in `components.schemas` for the type of a parameter.
#[derive(Clone, Copy, Debug)]
struct SharedSchema {
    name: &'static str,
    description: &'static str,
    is_nullable: bool,
}

/// A declaration that differs in one variant.
#[derive(Clone, Debug)]
enum Override {
    Description(&'static str),
    Default(Value),
    Schema(fn(MetaSchema) -> MetaSchema),
}

impl Parameter {
    /// A parameter with the schema of its type. An empty description selects the type's description.
    pub(crate) fn new<T: ParameterType>(name: &'static str, description: &'static str) -> Self {
        let declared = T::schema(&mut Registry::new());
        Self {
            name,
            description: match description {
                "" => declared.description.unwrap_or_default(),
                description => description,
            },
            schema: T::schema,
            example: declared.example,
            default: declared.default,
            is_required: false,
            is_clearable: true,
            is_nullable: false,
            is_untyped: false,
            shared: None,
            changes: Vec::new(),
            only: None,
            in_variant: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn example(mut self, example: impl Into<Value>) -> Self {
        self.example = Some(example.into());
        self
    }

    /// Sets the value of an absent parameter.
    #[must_use]
    pub(crate) fn default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Requires the field on create.
    #[must_use]
    pub(crate) fn required(mut self) -> Self {
        self.is_required = true;
        self.not_clearable()
    }

    /// Prevents updates from clearing the field.
    #[must_use]
    pub(crate) fn not_clearable(mut self) -> Self {
        self.is_clearable = false;
        self
    }

    /// Declares null as the default on create.
    #[must_use]
    pub(crate) fn nullable(mut self) -> Self {
        self.is_nullable = true;
        self.default(Value::Null)
    }

    /// Declares the parameter without a type.
    #[must_use]
    pub(crate) fn untyped(mut self) -> Self {
        self.is_untyped = true;
        self
    }

    /// Declares a named schema, so that client generators create one type for it.
    #[must_use]
    pub(crate) fn shared(mut self, name: &'static str, description: &'static str) -> Self {
        self.shared = Some(SharedSchema {
            name,
            description,
            is_nullable: false,
        });
        self
    }

    /// Declares a named schema that is nullable itself: generators that use one `Option` for absent and null, such as
    /// Rust's, could not send null otherwise.
    #[must_use]
    pub(crate) fn shared_nullable(mut self, name: &'static str, description: &'static str) -> Self {
        self.shared = Some(SharedSchema {
            name,
            description,
            is_nullable: true,
        });
        self
    }

    /// Changes the schema of the type.
    #[must_use]
    pub(crate) fn schema(mut self, change: fn(MetaSchema) -> MetaSchema) -> Self {
        self.changes.push(change);
        self
    }

    /// Restricts the parameter to one variant.
    #[must_use]
    pub(crate) fn only(mut self, variant: Variant) -> Self {
        self.only = Some(variant);
        self
    }

    #[must_use]
    pub(crate) fn description_in(mut self, variant: Variant, description: &'static str) -> Self {
        self.in_variant.push((variant, Override::Description(description)));
        self
    }

    #[must_use]
    pub(crate) fn default_in(mut self, variant: Variant, default: impl Into<Value>) -> Self {
        self.in_variant.push((variant, Override::Default(default.into())));
        self
    }

    #[must_use]
    pub(crate) fn schema_in(mut self, variant: Variant, change: fn(MetaSchema) -> MetaSchema) -> Self {
        self.in_variant.push((variant, Override::Schema(change)));
        self
    }

    pub(crate) fn exists_in(&self, variant: Variant) -> bool {
        self.only.is_none_or(|only| only == variant)
    }

    fn overrides(&self, variant: Variant) -> impl Iterator<Item = &Override> {
        let own = self.in_variant.iter().filter(move |(other, _)| *other == variant);
        own.map(|(_, own)| own)
    }

    fn default_of(&self, variant: Variant) -> Option<&Value> {
        let own = self.overrides(variant).find_map(|own| match own {
            Override::Default(value) => Some(value),
            _ => None,
        });
        own.or(self.default.as_ref())
    }

    /// The declarations to emit: one per variant, marked with it, if they differ; otherwise one for both variants.
    fn declarations(&self) -> Vec<(Option<Variant>, Variant)> {
        if self.only.is_none() && self.in_variant.is_empty() {
            return vec![(None, Variant::B)];
        }
        let variants = Variant::ALL.into_iter().filter(|variant| self.exists_in(*variant));
        variants.map(|variant| (Some(variant), variant)).collect()
    }

    /// The schema in the document of the variant.
    fn declare(&self, registry: &mut Registry, variant: Variant, purpose: Purpose) -> MetaSchema {
        let mut schema = (self.schema)(registry);
        if self.is_untyped {
            schema.ty = "";
            schema.format = None;
        }
        for change in &self.changes {
            schema = change(schema);
        }
        let mut description = self.description;
        for own in self.overrides(variant) {
            match own {
                Override::Description(text) => description = text,
                Override::Schema(change) => schema = change(schema),
                Override::Default(_) => {}
            }
        }
        if let Some(shared) = self.shared {
            schema = self.share(registry, schema, shared);
        }
        // `nullable` has no effect without a type (OpenAPI 3.0.3).
        let has_type = !schema.ty.is_empty();
        let is_update = purpose == Purpose::Update;
        MetaSchema {
            description: Some(description),
            example: self.example.clone(),
            default: self.default_of(variant).filter(|_| !is_update).cloned(),
            nullable: has_type && if is_update { self.is_clearable } else { self.is_nullable },
            ..schema
        }
    }

    fn share(&self, registry: &mut Registry, schema: MetaSchema, shared: SharedSchema) -> MetaSchema {
        let named = MetaSchema {
            description: Some(shared.description),
            example: self.example.clone(),
            nullable: shared.is_nullable,
            ..schema
        };
        registry.schemas.insert(shared.name.to_owned(), named);
        reference(shared.name)
    }
}

/// A reference to a schema, wrapped in `allOf` so that it may have a description.
pub(crate) fn reference(name: &str) -> MetaSchema {
    MetaSchema {
        all_of: vec![MetaSchemaRef::Reference(name.to_owned())],
        ..MetaSchema::new("")
    }
}

/// Parses the parameters of a request. Parameters that the variant lacks are removed first.
pub(crate) fn read<T: Parameters>(fields: &mut Fields, variant: Variant, purpose: Purpose) -> T {
    for parameter in T::parameters() {
        let name = parameter.name;
        if !parameter.exists_in(variant) {
            fields.remove(name);
            continue;
        }
        // A default of null is only declared: applied, it would turn absent into null.
        let default = parameter.default_of(variant).filter(|default| !default.is_null());
        match purpose {
            Purpose::Query => fields.set_default(name, default),
            Purpose::Create => {
                if parameter.is_required {
                    fields.require(name);
                }
                fields.set_default(name, default);
            }
            Purpose::Update if !parameter.is_clearable => fields.reject_clearing(name),
            Purpose::Update | Purpose::Nested => {}
        }
    }
    T::take(fields)
}

/// Parses a nested object, which must be complete. Nested objects do not differ by variant.
pub(crate) fn read_nested<T: Parameters>(fields: &mut Fields) -> T {
    for parameter in T::parameters().iter().filter(|parameter| parameter.is_required) {
        fields.require(parameter.name);
    }
    T::take(fields)
}

/// The properties of the parameters. A parameter that differs by variant has one property per variant, named `A:name`
/// and `B:name`, because poem-openapi's metadata is static. The document keeps those of its variant
/// ([`crate::api::document`]).
pub(crate) fn properties<'a>(
    parameters: impl IntoIterator<Item = &'a Parameter>,
    registry: &mut Registry,
    purpose: Purpose,
) -> Vec<(&'static str, MetaSchemaRef)> {
    let mut properties = Vec::new();
    for parameter in parameters {
        for (differs_in, variant) in parameter.declarations() {
            let schema = parameter.declare(registry, variant, purpose);
            let name = match differs_in {
                None => parameter.name,
                // poem-openapi requires `'static` names. There are few, and each document is generated once.
                Some(variant) => Box::leak(format!("{variant:?}:{}", parameter.name).into_boxed_str()),
            };
            properties.push((name, MetaSchemaRef::Inline(Box::new(schema))));
        }
    }
    properties
}

/// The names of the fields that are required on create.
pub(crate) fn required<T: Parameters>() -> Vec<&'static str> {
    let required = T::parameters().iter().filter(|parameter| parameter.is_required);
    required.map(|parameter| parameter.name).collect()
}
