//! Request structs: one struct per parameter set and per kind of body, read and described from one definition.
//!
//! `#[derive(Parameters)]` lists the fields of a struct as [`Parameter`]s. From this list, [`read`] checks and reads a
//! request, and [`properties`] describes it in the OpenAPI document.

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::MaybeUndefined,
};
use serde_json::Value;

use super::{Fields, FromInput};
use crate::calendar::Variant;

/// A struct whose fields are parameters of a query, or fields of a body. Derived.
pub trait Parameters: Send + Sized + 'static {
    /// The parameters in the order in which the document lists them.
    fn parameters() -> &'static [Parameter];

    /// Takes the values. Values that can't be read are noted in `fields.errors`.
    fn take(fields: &mut Fields) -> Self;
}

/// The type of a field of a request struct.
pub trait ParameterType {
    /// See [`FromInput::schema`].
    fn schema(registry: &mut Registry) -> MetaSchema;
}

impl<T: FromInput> ParameterType for MaybeUndefined<T> {
    fn schema(registry: &mut Registry) -> MetaSchema {
        T::schema(registry)
    }
}

/// For which request a set of parameters is read or described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Query,
    /// The body of a create: fields may be required and have defaults.
    Create,
    /// The body of an update: nothing is required, and null clears whatever is not `kept`.
    Update,
    /// An object inside another body.
    Nested,
}

/// What is declared of one parameter or field. It is a builder: each method is a word of `#[param(…)]`.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: &'static str,
    description: &'static str,
    schema: fn(&mut Registry) -> MetaSchema,
    example: Option<Value>,
    default: Option<Value>,
    is_required: bool,
    is_kept: bool,
    is_nullable: bool,
    is_untyped: bool,
    shared: Option<SharedSchema>,
    changes: Vec<fn(MetaSchema) -> MetaSchema>,
    only: Option<Variant>,
    in_variant: Vec<(Variant, Override)>,
}

/// A schema in `components.schemas` that holds what the type declares.
#[derive(Clone, Copy, Debug)]
struct SharedSchema {
    name: &'static str,
    description: &'static str,
    is_nullable: bool,
}

/// What one variant declares otherwise.
#[derive(Clone, Debug)]
enum Override {
    Description(&'static str),
    Default(Value),
    Schema(fn(MetaSchema) -> MetaSchema),
}

impl Parameter {
    /// A parameter as its type declares it. An empty description leaves it to the type's own.
    pub fn new<T: ParameterType>(name: &'static str, description: &'static str) -> Self {
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
            is_kept: false,
            is_nullable: false,
            is_untyped: false,
            shared: None,
            changes: Vec::new(),
            only: None,
            in_variant: Vec::new(),
        }
    }

    #[must_use]
    pub fn example(mut self, example: impl Into<Value>) -> Self {
        self.example = Some(example.into());
        self
    }

    /// The value of an absent parameter.
    #[must_use]
    pub fn default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// A create must have the field.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self.kept()
    }

    /// An update may change the field, but not clear it.
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// Null by default on create.
    #[must_use]
    pub fn nullable(mut self) -> Self {
        self.is_nullable = true;
        self.default(Value::Null)
    }

    /// Declared without a type.
    #[must_use]
    pub fn untyped(mut self) -> Self {
        self.is_untyped = true;
        self
    }

    /// Declared as a named schema. Client generators make one type of it.
    #[must_use]
    pub fn shared(mut self, name: &'static str, description: &'static str) -> Self {
        self.shared = Some(SharedSchema {
            name,
            description,
            is_nullable: false,
        });
        self
    }

    /// Declared as a named schema that takes null by itself: a generator with one `Option` for absent and null, as
    /// Rust's, could not send null otherwise.
    #[must_use]
    pub fn shared_nullable(mut self, name: &'static str, description: &'static str) -> Self {
        self.shared = Some(SharedSchema {
            name,
            description,
            is_nullable: true,
        });
        self
    }

    /// Changes what the type declares.
    #[must_use]
    pub fn schema(mut self, change: fn(MetaSchema) -> MetaSchema) -> Self {
        self.changes.push(change);
        self
    }

    /// One variant alone has the parameter.
    #[must_use]
    pub fn only(mut self, variant: Variant) -> Self {
        self.only = Some(variant);
        self
    }

    #[must_use]
    pub fn description_in(mut self, variant: Variant, description: &'static str) -> Self {
        self.in_variant.push((variant, Override::Description(description)));
        self
    }

    #[must_use]
    pub fn default_in(mut self, variant: Variant, default: impl Into<Value>) -> Self {
        self.in_variant.push((variant, Override::Default(default.into())));
        self
    }

    #[must_use]
    pub fn schema_in(mut self, variant: Variant, change: fn(MetaSchema) -> MetaSchema) -> Self {
        self.in_variant.push((variant, Override::Schema(change)));
        self
    }

    fn exists_in(&self, variant: Variant) -> bool {
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

    /// The variants that declare it differently, by letter; none if all declare the same.
    fn declarations(&self) -> Vec<(Option<Variant>, Variant)> {
        if self.only.is_none() && self.in_variant.is_empty() {
            return vec![(None, Variant::B)];
        }
        let variants = Variant::ALL.into_iter().filter(|variant| self.exists_in(*variant));
        variants.map(|variant| (Some(variant), variant)).collect()
    }

    /// What the document declares in this variant.
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
        // `nullable` says nothing without a type (OpenAPI 3.0.3).
        let has_type = !schema.ty.is_empty();
        let is_update = purpose == Purpose::Update;
        MetaSchema {
            description: Some(description),
            example: self.example.clone(),
            default: self.default_of(variant).filter(|_| !is_update).cloned(),
            nullable: has_type && if is_update { !self.is_kept } else { self.is_nullable },
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

/// A schema that refers to another one and leaves room for a description beside it.
pub fn reference(name: &str) -> MetaSchema {
    MetaSchema {
        all_of: vec![MetaSchemaRef::Reference(name.to_owned())],
        ..MetaSchema::new("")
    }
}

/// Reads the parameters of a request. Parameters that the variant lacks are removed first.
pub fn read<T: Parameters>(fields: &mut Fields, variant: Variant, purpose: Purpose) -> T {
    for parameter in T::parameters() {
        let name = parameter.name;
        if !parameter.exists_in(variant) {
            fields.remove(name);
            continue;
        }
        // An absent field is not null: a default of null is declared, and never applied.
        let default = parameter.default_of(variant).filter(|default| !default.is_null());
        match purpose {
            Purpose::Query => fields.default(name, default),
            Purpose::Create => {
                if parameter.is_required {
                    fields.require(name);
                }
                fields.default(name, default);
            }
            Purpose::Update if parameter.is_kept => fields.refuse_clearing(name),
            Purpose::Update | Purpose::Nested => {}
        }
    }
    T::take(fields)
}

/// Reads a nested object, which must be complete. All variants have the same ones.
pub fn read_nested<T: Parameters>(fields: &mut Fields) -> T {
    for parameter in T::parameters().iter().filter(|parameter| parameter.is_required) {
        fields.require(parameter.name);
    }
    T::take(fields)
}

/// The properties that describe the parameters. Where the variants differ, there is a property for each, named
/// `A:name` or `B:name`: poem-openapi's metadata is static, and the document keeps those of its variant
/// ([`crate::api::document`]).
pub fn properties<T: Parameters>(registry: &mut Registry, purpose: Purpose) -> Vec<(&'static str, MetaSchemaRef)> {
    let mut properties = Vec::new();
    for parameter in T::parameters() {
        for (differs_in, variant) in parameter.declarations() {
            let schema = parameter.declare(registry, variant, purpose);
            let name = match differs_in {
                None => parameter.name,
                // poem-openapi wants names that live for ever. There are few, and a document is made once.
                Some(variant) => Box::leak(format!("{variant:?}:{}", parameter.name).into_boxed_str()),
            };
            properties.push((name, MetaSchemaRef::Inline(Box::new(schema))));
        }
    }
    properties
}

/// The names of the fields that a create must have.
pub fn required<T: Parameters>() -> Vec<&'static str> {
    let required = T::parameters().iter().filter(|parameter| parameter.is_required);
    required.map(|parameter| parameter.name).collect()
}
