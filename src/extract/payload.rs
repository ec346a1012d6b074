//! Payloads: one struct defines the bodies of creates and updates, and nested objects.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};

use super::{
    Parameters, Selectable,
    parameters::{Purpose, properties, required},
};
use crate::calendar::Kind;

/// The fields of a body, shared by create and update.
pub(crate) trait Payload: Parameters + Clone {
    /// The representation in responses, which has all fields of the body.
    type Representation: Selectable;
    /// The name of the resource, the prefix of the schema names: `EventCreate`, `EventUpdate`.
    const NAME: &'static str;
    /// The description of the body of a create.
    const CREATE: &'static str;
    /// The description of the body of an update.
    const UPDATE: &'static str;
    /// Whether updates have query parameters, which another extractor reads.
    const UPDATES_HAVE_PARAMETERS: bool = false;
}

/// A payload that may also be nested in the body of an event.
pub(crate) trait NestedPayload: Payload {
    const KIND: Kind;
    /// The description of the nested object.
    const NESTED: &'static str;
    /// The description of an ID or a nested object.
    const REFERENCE: &'static str;

    /// The name of the venue or organizer, if given.
    fn name(&self) -> Option<&str>;
}

/// Registers the schema of a body and returns a reference to it.
pub(crate) fn body_schema<P: Payload>(registry: &mut Registry, purpose: Purpose) -> MetaSchemaRef {
    let (suffix, description) = match purpose {
        Purpose::Update => ("Update", P::UPDATE),
        _ => ("Create", P::CREATE),
    };
    let schema = MetaSchema {
        description: Some(description),
        required: match purpose {
            Purpose::Create => required::<P>(),
            _ => Vec::new(),
        },
        properties: properties(P::parameters(), registry, purpose),
        ..MetaSchema::new("object")
    };
    register(registry, format!("{}{suffix}", P::NAME), schema)
}

/// Registers the schema of a nested object, with `id` first, and returns a reference to it.
pub(crate) fn nested_schema<P: NestedPayload>(registry: &mut Registry) -> MetaSchemaRef {
    let id = MetaSchema {
        description: Some("ID of an existing object to link. The other fields are then ignored."),
        minimum: Some(1.0),
        example: Some(1.into()),
        ..MetaSchema::new_with_format("integer", "int64")
    };
    let mut members = vec![("id", MetaSchemaRef::Inline(Box::new(id)))];
    members.extend(properties(P::parameters(), registry, Purpose::Nested));
    let schema = MetaSchema {
        description: Some(P::NESTED),
        properties: members,
        ..MetaSchema::new("object")
    };
    register(registry, format!("{}Input", P::NAME), schema)
}

fn register(registry: &mut Registry, name: String, schema: MetaSchema) -> MetaSchemaRef {
    registry.schemas.insert(name.clone(), schema);
    MetaSchemaRef::Reference(name)
}
