//! Adapts poem-openapi's metadata: each field of a query struct becomes a parameter, and each method of an update
//! gets its own operation ID.

use std::collections::HashMap;

use poem::{endpoint::BoxEndpoint, http::Method};
use poem_openapi::{
    OpenApi,
    registry::{MetaApi, MetaOperation, MetaOperationParam, MetaPath, MetaSchemaRef, Registry},
};

/// Endpoints whose query structs are flattened to parameters.
pub(crate) struct FlattenParameters<T>(pub T);

impl<T: OpenApi> OpenApi for FlattenParameters<T> {
    fn meta() -> Vec<MetaApi> {
        let mut apis = T::meta();
        for path in apis.iter_mut().flat_map(|api| &mut api.paths) {
            for operation in &mut path.operations {
                operation.params = std::mem::take(&mut operation.params)
                    .into_iter()
                    .flat_map(flatten)
                    .collect();
            }
            name_updates(path);
        }
        apis
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn add_routes(self, table: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {
        self.0.add_routes(table);
    }
}

/// Replaces a parameter whose schema is an object by one parameter per member.
fn flatten(parameter: MetaOperationParam) -> Vec<MetaOperationParam> {
    let members = match &parameter.schema {
        MetaSchemaRef::Inline(schema) if schema.ty == "object" => &schema.properties,
        _ => return vec![parameter],
    };
    members
        .iter()
        .map(|(name, schema)| {
            let mut schema = schema.clone();
            let mut description = None;
            if let MetaSchemaRef::Inline(schema) = &mut schema {
                description = schema.description.take().map(str::to_owned);
            }
            MetaOperationParam {
                name: (*name).to_owned(),
                // Arrays are serialised comma-separated.
                explode: !schema.is_array(),
                schema,
                in_type: parameter.in_type,
                description,
                required: false,
                deprecated: false,
                style: None,
            }
        })
        .collect()
}

/// Names the update operations on the path of `getEvent`: `updateEvent` (POST), `replaceEvent` (PUT) and `patchEvent`
/// (PATCH).
fn name_updates(path: &mut MetaPath) {
    let Some(object) = path
        .operations
        .iter()
        .filter(|operation| operation.method == Method::GET)
        .find_map(|operation| operation.operation_id?.strip_prefix("get"))
    else {
        return;
    };
    for operation in &mut path.operations {
        let verb = match operation.method {
            Method::POST => "update",
            Method::PUT => "replace",
            Method::PATCH => "patch",
            _ => continue,
        };
        name(operation, verb, object);
    }
}

fn name(operation: &mut MetaOperation, verb: &str, object: &str) {
    if operation.operation_id.is_none() {
        // poem-openapi requires `'static` names. Their number is bounded by the number of operations.
        operation.operation_id = Some(Box::leak(format!("{verb}{object}").into_boxed_str()));
    }
}
