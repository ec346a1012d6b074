//! The structs of parameters and bodies that `build.rs` writes from `openapi/`.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};

use super::variant::{A, B};
use crate::{
    calendar::Kind,
    wire::{
        Described, Field, Fields, choice, flag, images, numbers,
        references::{self, Nested},
        texts,
    },
};

include!(concat!(env!("OUT_DIR"), "/described.rs"));
