//! The structs of parameters and bodies that `build.rs` writes from `openapi/`.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};

use super::variant::{A, B};
use crate::{
    calendar::Kind,
    extract::{
        Described, Fields, MaybeUndefined, choice, image, lenient_bool, number,
        references::{self, Nested},
        text,
    },
};

include!(concat!(env!("OUT_DIR"), "/described.rs"));
