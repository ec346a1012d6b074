//! The interface as its tables have it: every field of the five resources, every parameter of the lists, every
//! operation. Written down a second time, so that a slip in the description does not go unseen.

use self::{Default::*, Need::*, Type::*, Where::*};

/// What is declared of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    Integer,
    Double,
    Text,
    Boolean,
    Integers,
    Untyped,
    /// Any JSON object.
    Object,
    /// A date, which the tables leave untyped and the document declares as text.
    Date,
    /// A switch, which the tables leave untyped and the document declares as boolean.
    Switch,
    /// Untyped in variant A, integers in variant B.
    Terms,
    /// Integers, or the data of a venue or organizer, whose schema is named.
    Hosts(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Need {
    Required,
    Optional,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    Nothing,
    Null,
    False,
    True,
    Number(i64),
    Word(&'static str),
    /// 10 in variant A, 5 in variant B.
    PageSize,
}

/// The variants that have a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Where {
    Both,
    OnlyB,
}

/// A field of a body: name, type, need on create, default on create. On update nothing is required, and nothing
/// has a default.
pub type Field = (&'static str, Type, Need, Default);
/// A parameter of a list: name, type, default, variants. All are optional.
pub type Parameter = (&'static str, Type, Default, Where);

/// The fields of each resource, in order.
pub const FIELDS: [(&str, &[Field]); 5] = [
    ("Event", EVENT),
    ("Venue", VENUE),
    ("Organizer", ORGANIZER),
    ("Category", CATEGORY),
    ("Tag", TAG),
];

/// The parameters of each list, in order.
pub const PARAMETERS: [(&str, &[Parameter]); 6] = [
    ("getIndex", INDEX),
    ("listEvents", EVENTS),
    ("listVenues", HOSTS),
    ("listOrganizers", HOSTS),
    ("listCategories", CATEGORIES),
    ("listTags", TAGS),
];

const EVENT: &[Field] = &[
    ("author", Integer, Optional, Nothing),
    ("date", Text, Optional, Nothing),
    ("date_utc", Text, Optional, Nothing),
    ("title", Text, Required, Nothing),
    ("description", Text, Optional, Nothing),
    ("slug", Text, Optional, Nothing),
    ("excerpt", Text, Optional, Nothing),
    ("status", Text, Optional, Nothing),
    ("timezone", Text, Optional, Nothing),
    ("all_day", Boolean, Optional, False),
    ("start_date", Text, Required, Nothing),
    ("end_date", Text, Required, Nothing),
    ("image", Text, Optional, Nothing),
    ("cost", Untyped, Optional, Nothing),
    ("website", Untyped, Optional, Null),
    ("show_map", Boolean, Optional, Nothing),
    ("show_map_link", Boolean, Optional, Nothing),
    ("hide_from_listings", Boolean, Optional, Nothing),
    ("sticky", Boolean, Optional, Nothing),
    ("featured", Boolean, Optional, Nothing),
    ("categories", Terms, Optional, Null),
    ("tags", Terms, Optional, Null),
    ("venue", Hosts("VenueInput"), Optional, Null),
    ("organizer", Hosts("OrganizerInput"), Optional, Null),
    // Beyond the tables: what the filters need to find something, and what answers show.
    ("post_parent", Integer, Optional, Nothing),
    ("ticketed", Boolean, Optional, Nothing),
    ("custom_fields", Object, Optional, Nothing),
];

const VENUE: &[Field] = &[
    ("author", Integer, Optional, Nothing),
    ("date", Text, Optional, Nothing),
    ("date_utc", Text, Optional, Nothing),
    ("venue", Text, Required, Nothing),
    ("description", Text, Optional, Null),
    ("status", Text, Optional, Nothing),
    ("show_map", Text, Optional, Null),
    ("show_map_link", Text, Optional, Null),
    ("address", Text, Optional, Null),
    ("city", Text, Optional, Null),
    ("country", Text, Optional, Null),
    ("province", Text, Optional, Null),
    ("state", Text, Optional, Null),
    ("zip", Text, Optional, Null),
    ("phone", Text, Optional, Null),
    ("stateprovince", Text, Optional, Null),
    ("website", Text, Optional, Null),
    ("image", Text, Optional, Null),
    // Beyond the tables.
    ("geo_lat", Double, Optional, Nothing),
    ("geo_lng", Double, Optional, Nothing),
    ("slug", Text, Optional, Nothing),
];

const ORGANIZER: &[Field] = &[
    ("author", Integer, Optional, Null),
    ("date", Text, Optional, Null),
    ("date_utc", Text, Optional, Null),
    ("organizer", Text, Required, Nothing),
    ("description", Text, Optional, Null),
    ("status", Text, Optional, Null),
    ("phone", Text, Optional, Null),
    ("website", Text, Optional, Null),
    ("email", Text, Optional, Null),
    ("image", Text, Optional, Null),
    // Beyond the tables.
    ("slug", Text, Optional, Nothing),
];

const CATEGORY: &[Field] = &[
    ("name", Text, Required, Nothing),
    ("description", Text, Optional, Nothing),
    ("slug", Text, Optional, Nothing),
    ("parent", Integer, Optional, Nothing),
];

const TAG: &[Field] = &[
    ("name", Text, Required, Nothing),
    ("description", Text, Optional, Nothing),
    ("slug", Text, Optional, Nothing),
];

const INDEX: &[Parameter] = &[
    ("namespace", Text, Word("calendar/events/v1"), Both),
    ("context", Text, Word("view"), Both),
];

const EVENTS: &[Parameter] = &[
    ("page", Integer, Number(1), Both),
    ("per_page", Integer, PageSize, Both),
    // Their defaults go with the day, and stand in the text.
    ("start_date", Date, Nothing, Both),
    ("end_date", Date, Nothing, Both),
    ("starts_before", Date, Nothing, OnlyB),
    ("starts_after", Date, Nothing, OnlyB),
    ("ends_before", Date, Nothing, OnlyB),
    ("ends_after", Date, Nothing, OnlyB),
    ("strict_dates", Switch, False, OnlyB),
    ("search", Text, Nothing, Both),
    ("categories", Integers, Nothing, Both),
    ("tags", Integers, Nothing, Both),
    ("venue", Integers, Nothing, Both),
    ("organizer", Integers, Nothing, Both),
    ("featured", Boolean, Nothing, Both),
    ("status", Text, Word("publish"), Both),
    ("geoloc", Boolean, Nothing, Both),
    ("geoloc_lat", Double, Nothing, Both),
    ("geoloc_lng", Double, Nothing, Both),
    ("include", Integers, Nothing, Both),
    ("post_parent", Integer, Nothing, Both),
    ("ticketed", Boolean, Nothing, OnlyB),
];

const HOSTS: &[Parameter] = &[
    ("page", Integer, Number(1), Both),
    ("per_page", Integer, PageSize, Both),
    ("search", Text, Nothing, Both),
    ("event", Integer, Nothing, Both),
    ("has_events", Switch, Nothing, Both),
    ("only_with_upcoming", Switch, False, Both),
    ("status", Text, Word("publish"), Both),
];

const CATEGORIES: &[Parameter] = &[
    ("page", Integer, Number(1), Both),
    ("per_page", Integer, PageSize, Both),
    ("search", Text, Nothing, Both),
    ("exclude", Integers, Nothing, Both),
    ("include", Integers, Nothing, Both),
    ("order", Text, Word("asc"), Both),
    ("orderby", Text, Word("name"), Both),
    ("hide_empty", Boolean, True, Both),
    ("parent", Integer, Nothing, Both),
    ("post", Integer, Nothing, Both),
    ("event", Integer, Nothing, Both),
    ("slug", Text, Nothing, Both),
];

const TAGS: &[Parameter] = &[
    ("page", Integer, Number(1), Both),
    ("per_page", Integer, PageSize, Both),
    ("search", Text, Nothing, Both),
    ("exclude", Integers, Nothing, Both),
    ("include", Integers, Nothing, Both),
    ("order", Text, Word("asc"), Both),
    ("orderby", Text, Word("name"), Both),
    ("hide_empty", Boolean, True, Both),
    ("post", Integer, Nothing, Both),
    ("event", Integer, Nothing, Both),
    ("slug", Text, Nothing, Both),
];

/// The operations: path below the root, method, operation ID.
pub fn operations() -> Vec<(String, &'static str, String)> {
    let mut operations = vec![
        (String::new(), "get", "getIndex".to_owned()),
        ("/doc".to_owned(), "get", "getDocument".to_owned()),
    ];
    for (plural, one, many, has_slugs) in [
        ("events", "Event", "Events", true),
        ("venues", "Venue", "Venues", true),
        ("organizers", "Organizer", "Organizers", true),
        ("categories", "Category", "Categories", false),
        ("tags", "Tag", "Tags", false),
    ] {
        let collection = format!("/{plural}");
        operations.push((collection.clone(), "get", format!("list{many}")));
        operations.push((collection.clone(), "post", format!("create{one}")));
        let mut items = vec![(format!("{collection}/{{id}}"), "")];
        if has_slugs {
            items.push((format!("{collection}/by-slug/{{slug}}"), "BySlug"));
        }
        for (path, how) in items {
            for (method, verb) in [
                ("get", "get"),
                ("post", "update"),
                ("put", "replace"),
                ("patch", "patch"),
                ("delete", "delete"),
            ] {
                operations.push((path.clone(), method, format!("{verb}{one}{how}")));
            }
        }
    }
    operations
}
