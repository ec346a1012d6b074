//! The permissions of writes of series.

use almanac::testing::auth::Role;
use serde_json::json;

use crate::{
    fixtures::user_id,
    on_both_databases,
    series::{create_yoga, events, ids, series_of, texts, yoga},
    support::Client,
};

on_both_databases! {
    async fn permission_is_needed_for_every_event(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let series = create_yoga(&author, json!({})).await;
        let before = events(&admin, series).await;
        // One event gets another author.
        admin.patch(&format!("/events/{}", before[3]["id"]), json!({"author": 1})).await.is(200);
        let first = format!("/events/{}", before[0]["id"]);
        for scope in ["following", "all"] {
            author.patch(&format!("{first}?scope={scope}"), json!({"title": "New"})).await.is_error(403, "rest_forbidden");
            author.delete(&format!("{first}?scope={scope}")).await.is_error(403, "rest_forbidden");
        }
        author.patch(&format!("/series/{series}"), json!({"title": "New"})).await.is_error(403, "rest_forbidden");
        assert_eq!(texts(&events(&admin, series).await, "title"), ["Yoga"; 5]);
        // Those after it are the author's own.
        author.patch(&format!("/events/{}?scope=following", before[4]["id"]), json!({"title": "New"})).await.is(200);
        author.patch(&first, json!({"title": "New"})).await.is(200);
        // An overridden field does not change.
        admin.patch(&format!("/events/{}", before[3]["id"]), json!({"title": "Mine"})).await.is(200);
        author.patch(&format!("/events/{}?scope=all", before[1]["id"]), json!({"title": "Newer"})).await.is(200);
    }

    async fn others_may_not_change_a_series(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let event = ids(&events(&admin, series).await)[0];
        for role in [Role::Subscriber, Role::Contributor, Role::Author] {
            let client = server.user(role.name(), role).await;
            for path in [format!("/series/{series}"), format!("/events/{event}?scope=all")] {
                client.patch(&path, json!({"title": "New"})).await.is_error(403, "rest_forbidden");
                client.delete(&path).await.is_error(403, "rest_forbidden");
            }
        }
        server.anonymous().patch(&format!("/series/{series}"), json!({})).await.is_error(401, "rest_not_logged_in");
    }

    async fn contributors_propose_series(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("ben", Role::Contributor).await;
        let created = contributor.create("/events", yoga(json!({}))).await;
        assert_eq!(created["status"], "pending");
        let series = series_of(&created);
        let own = format!("/events/{}?scope=all", created["id"]);
        contributor.patch(&own, json!({"title": "Pilates"})).await.is(200);
        admin.patch(&own, json!({"status": "publish"})).await.is(200);
        contributor.patch(&own, json!({"title": "Yoga"})).await.is_error(403, "rest_forbidden");
        assert_eq!(texts(&events(&admin, series).await, "title"), ["Pilates"; 5]);
    }

    /// Otherwise its contributor could add published events to the series.
    async fn unpublished_event_does_not_open_a_published_series(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("ben", Role::Contributor).await;
        let series = create_yoga(&contributor, json!({})).await;
        let pending = contributor.get(&format!("/series/{series}/events?status=pending")).await.is(200);
        let last = format!("/events/{}", pending.each("events", "id")[4]);
        contributor.patch(&last, json!({"status": "draft"})).await.is(200);
        admin.patch(&format!("/series/{series}"), json!({"status": "publish"})).await.is(200);
        assert_changes_only_event(&contributor, &last).await;
        assert_eq!(texts(&events(&admin, series).await, "title"), ["Yoga"; 4]);
    }

    async fn author_of_one_event_may_not_change_its_series(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let series = create_yoga(&admin, json!({})).await;
        let last = format!("/events/{}", ids(&events(&admin, series).await)[4]);
        admin.patch(&last, json!({"author": user_id(&server, "ann").await})).await.is(200);
        assert_changes_only_event(&author, &last).await;
        assert_eq!(texts(&events(&admin, series).await, "title"), ["Yoga", "Yoga", "Yoga", "Yoga", "Pilates"]);
    }
}

/// Asserts that the client may change the event, but not its series.
async fn assert_changes_only_event(client: &Client, event: &str) {
    let with_another_event = json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=6;BYDAY=TU"});
    for scope in ["following", "all"] {
        let path = format!("{event}?scope={scope}");
        client
            .patch(&path, with_another_event.clone())
            .await
            .is_error(403, "rest_forbidden");
        client.delete(&path).await.is_error(403, "rest_forbidden");
    }
    client.patch(event, json!({"title": "Pilates"})).await.is(200);
}
