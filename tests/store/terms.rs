//! References to terms.

use almanac::testing::{
    calendar::TermReference,
    store::{
        entity::{category, tag},
        term::resolve,
    },
};
use serde_json::json;

use crate::on_both_databases;

fn id(id: i64) -> TermReference {
    TermReference::Id(id)
}

fn name(name: &str) -> TermReference {
    TermReference::Name(name.to_owned())
}

on_both_databases! {
    async fn references_resolve_by_id_then_slug_then_name(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for category in [
            json!({"name": "Music"}),
            json!({"name": "Stage", "slug": "theatre"}),
            json!({"name": "Jazz", "parent": 1}),
            json!({"name": "Jazz", "parent": 2}),
            json!({"name": "2027", "slug": "year"}),
            json!({"name": "Theatre", "slug": "stage"}),
            json!({"name": "Decade", "slug": "2030"}),
            json!({"name": "1"}),
        ] {
            admin.create_id("/categories", category).await;
        }
        for (reference, expected) in [
            (id(1), Some(1)),
            (id(2027), Some(5)),
            (id(2030), Some(7)),
            (id(99), None),
            (name("MUSIC"), Some(1)),
            (name("theatre"), Some(2)),
            (name("Stage"), Some(6)),
            (name("J\u{e1}zz"), Some(3)),
            (name("nothing"), None),
        ] {
            let resolved = resolve::<category::Entity>(server.store.reader(), std::slice::from_ref(&reference)).await;
            assert_eq!(resolved.expect("IDs"), [expected], "{reference:?}");
        }
    }

    async fn many_references_resolve_in_one_statement(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for tag in [json!({"name": "New"}), json!({"name": "Free of charge", "slug": "free"}), json!({"name": "Outdoors"})] {
            admin.create_id("/tags", tag).await;
        }
        let references = [name("free of charge"), id(3), name("new"), name("old"), id(3), id(4), name("New")];
        let before = server.store.statement_count();
        let resolved = resolve::<tag::Entity>(server.store.reader(), &references).await.expect("IDs");
        assert_eq!(resolved, [Some(2), Some(3), Some(1), None, Some(3), None, Some(1)]);
        assert_eq!(server.store.statement_count() - before, 1);
        assert_eq!(resolve::<tag::Entity>(server.store.reader(), &[]).await.expect("IDs"), []);
        assert_eq!(server.store.statement_count() - before, 1);
    }
}
