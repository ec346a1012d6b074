//! A small calendar with everything that an export or a backup must keep.

use serde_json::json;

use crate::support::program::{ServerProcess, stdout_lines};

/// Fills a database by a server, which is stopped. Returns the administrator's application password.
pub(crate) async fn fill(url: &str) -> String {
    let server = ServerProcess::start(&["--database-url", url, "--timezone", "Europe/Berlin"]);
    let password = server.password().to_owned();
    let admin = server.anonymous().with_password("admin", &password);
    stdout_lines(&["user", "add", "ann", "--role", "editor", "--database-url", url]);
    stdout_lines(&["token", "add", "--user", "ann", "--name", "app", "--database-url", url]);

    // The parent of the first category has a higher ID.
    let jazz = admin
        .create_id("/categories", json!({"name": "Jazz", "description": "<b>Swing</b>"}))
        .await;
    let music = admin.create_id("/categories", json!({"name": "Music"})).await;
    admin
        .patch(&format!("/categories/{jazz}"), json!({"parent": music}))
        .await
        .is(200);
    admin.create_id("/tags", json!({"name": "Frei & \"laut\""})).await;
    let tag = admin.create_id("/tags", json!({"name": "Gone"})).await;
    admin.delete(&format!("/tags/{tag}")).await.is(200);

    let hall = json!({
        "venue": "Hall", "city": "Kiel", "country": "Germany", "geo_lat": 54.32329299999999, "geo_lng": 10.1,
        "image": "https://example.org/hall.png", "external_source": "register", "external_id": "7",
    });
    let hall = admin.create_id("/venues", hall).await;
    let closed = json!({"venue": "Closed", "status": "draft", "external_source": "register", "external_id": "8 \"a\""});
    admin.create_id("/venues", closed).await;
    let trashed = admin.create_id("/venues", json!({"venue": "Hall"})).await;
    admin.delete(&format!("/venues/{trashed}")).await.is(200);
    let ann = json!({
        "organizer": "Ann", "email": "ann@example.org", "external_source": "register", "external_id": "7",
    });
    admin.create_id("/organizers", ann).await;

    let choir = json!({
        "title": "Choir", "description": "<p>Sings <em>Bach</em></p>", "start_date": "2027-10-31 02:30",
        "end_date": "2027-10-31 04:00", "timezone": "Europe/Berlin", "cost": "5 - 10 €", "categories": ["Jazz"],
        "tags": ["Frei & \"laut\""], "venue": [hall, {"venue": "Park"}],
        "organizer": [{"organizer": "Ben"}, {"organizer": "Cleo"}], "image": "https://example.org/choir.png",
        "custom_fields": {"age": 18.50, "a": [1, {"b": null}]}, "featured": true, "excerpt": "Short",
        "external_source": "league", "external_id": "4711",
    });
    let choir = admin.create_id("/events", choir).await;
    admin
        .patch(&format!("/events/{choir}"), json!({"slug": "choir-of-kiel"}))
        .await
        .is(200);
    let festival = json!({"title": "Festival", "start_date": "2027-05-01", "end_date": "2027-05-20", "all_day": true});
    let festival = admin.create_id("/events", festival).await;
    // The venue follows the event, whose ID is lower than others'.
    let talk = json!({
        "title": "Talk", "start_date": "2031-05-01", "end_date": "2031-05-01", "date": "2099-01-01 00:00",
        "venue": {"venue": "Secret"}, "post_parent": festival, "hide_from_listings": true,
    });
    admin.create_id("/events", talk).await;
    let rehearsal =
        json!({"title": "Rehearsal", "start_date": "1965-05-01", "end_date": "1965-05-01", "status": "private"});
    admin.create_id("/events", rehearsal).await;
    // Three events, of which the second one has a title of its own.
    let course = json!({
        "title": "Course", "description": "<p>For <em>all</em></p>", "start_date": "2027-06-01 18:00",
        "end_date": "2027-06-01 20:00", "recurrence": "RRULE:FREQ=WEEKLY;COUNT=3",
    });
    let first = admin.create_id("/events", course).await;
    admin
        .patch(&format!("/events/{}", first + 1), json!({"title": "Exam"}))
        .await
        .is(200);
    for title in ["Trashed", "Purged"] {
        let event = json!({"title": title, "start_date": "2027-05-01", "end_date": "2027-05-01"});
        let id = admin.create_id("/events", event).await;
        admin.delete(&format!("/events/{id}")).await.is(200);
        if title == "Purged" {
            continue;
        }
        // Only the last one is purged.
        admin
            .patch(&format!("/events/{id}"), json!({"status": "draft"}))
            .await
            .is(200);
    }
    server.stop();
    // The highest ID is used no more.
    let printed = stdout_lines(&["purge", "--database-url", url]);
    assert_eq!(printed, ["removed 1 events, 1 venues, 0 organizers"]);
    // Something stays in the trash.
    let server = ServerProcess::start(&["--database-url", url]);
    let admin = server.anonymous().with_password("admin", &password);
    let id = admin.create_id("/organizers", json!({"organizer": "Former"})).await;
    admin.delete(&format!("/organizers/{id}")).await.is(200);
    server.stop();
    password
}
