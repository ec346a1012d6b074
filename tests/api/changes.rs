//! Changes of the calendar, for programs that keep a copy of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use almanac::testing::{auth::Role, store::object_changes, store::write_connection::WriteConnection};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{TimeDelta, Utc};
use sea_orm::DbBackend;
use serde_json::{Value, json};

use crate::{
    assertions::assert_rejected,
    fixtures::{create_event, create_named, event_with, execute, get_with, merge},
    on_both_databases,
    support::{Client, Response},
};

/// A copy of what a reader may see, by type and ID.
struct Mirror {
    reader: Client,
    query: String,
    token: String,
    objects: BTreeMap<(String, i64), Value>,
}

impl Mirror {
    /// Reads everything.
    async fn new(reader: &Client, query: &str) -> Self {
        let mut mirror = Self {
            reader: reader.clone(),
            query: query.to_owned(),
            token: String::new(),
            objects: BTreeMap::new(),
        };
        mirror.follow(&format!("/changes?{query}")).await;
        mirror
    }

    /// Reads the changes since the last call, and returns them as `change type ID`.
    async fn update(&mut self) -> Vec<String> {
        self.follow(&format!("/changes?{}&since={}", self.query, self.token))
            .await
    }

    async fn follow(&mut self, first: &str) -> Vec<String> {
        let mut changes = Vec::new();
        let mut path = first.to_owned();
        loop {
            let page = self.reader.get(&path).await.is(200).body;
            for change in page["changes"].as_array().expect("changes") {
                let (kind, id) = (text(change, "type"), change["id"].as_i64().expect("an ID"));
                changes.push(format!("{} {kind} {id}", text(change, "change")));
                match change["object"].is_null() {
                    true => _ = self.objects.remove(&(kind, id)),
                    false => _ = self.objects.insert((kind, id), change["object"].clone()),
                }
            }
            self.token = text(&page, "token");
            if page["more"] == false {
                return changes;
            }
            path = format!("/changes?{}&since={}", self.query, self.token);
        }
    }

    fn object(&self, kind: &str, id: i64) -> &Value {
        &self.objects[&(kind.to_owned(), id)]
    }
}

/// The content of a token.
fn members(token: &str) -> Value {
    let json = BASE64_URL_SAFE_NO_PAD.decode(token).expect("base64");
    serde_json::from_slice(&json).expect("JSON")
}

/// The token with other members.
fn forged(token: &str, changed: Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(merge(members(token), changed).to_string())
}

fn text(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_default().to_owned()
}

on_both_databases! {
    async fn mirror_follows_all_writes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = create_named(&admin, "venues", "City Hall").await;
        let tag = create_named(&admin, "tags", "free").await;
        let event = create_event(&admin, "Choir", json!({"venue": venue, "tags": [tag]})).await;
        let mut mirror = Mirror::new(&server.anonymous(), "").await;
        let known: Vec<_> = mirror.objects.keys().cloned().collect();
        let key = |kind: &str, id| (kind.to_owned(), id);
        assert_eq!(known, [key("event", event), key("tag", tag), key("venue", venue)]);
        assert!(mirror.update().await.is_empty());

        let event_path = format!("/events/{event}");
        admin.patch(&event_path, json!({"title": "Organ"})).await.is(200);
        assert_eq!(mirror.update().await, ["changed event 1"]);
        assert_eq!(mirror.object("event", event)["title"], "Organ");
        create_named(&admin, "organizers", "City").await;
        create_named(&admin, "categories", "Music").await;
        assert_eq!(mirror.update().await, ["changed organizer 1", "changed category 1"]);
        admin.delete(&event_path).await.is(200);
        assert_eq!(mirror.update().await, ["deleted event 1"]);
        admin.patch(&event_path, json!({"status": "publish"})).await.is(200);
        assert_eq!(mirror.update().await, ["changed event 1"]);
        admin.delete("/categories/1").await.is(200);
        assert_eq!(mirror.update().await, ["deleted category 1"]);
        assert!(mirror.update().await.is_empty());
    }

    async fn links_are_ids(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = create_named(&admin, "venues", "City Hall").await;
        let tag = create_named(&admin, "tags", "free").await;
        let mut expected = Vec::new();
        for title in ["One", "Two"] {
            let event = create_event(&admin, title, json!({"venue": venue, "tags": [tag]})).await;
            expected.push(format!("changed event {event}"));
        }
        let mut mirror = Mirror::new(&server.anonymous(), "").await;
        let event = mirror.object("event", 1);
        assert_eq!((&event["venue"], &event["tags"], &event["organizer"]), (&json!([1]), &json!([1]), &json!([])));
        assert!(event.get("json_ld").is_none());
        admin.patch("/venues/1", json!({"venue": "Old City Hall"})).await.is(200);
        assert_eq!(mirror.update().await, ["changed venue 1"]);
        admin.delete("/tags/1").await.is(200);
        let mut changes = mirror.update().await;
        changes.sort();
        expected.push("deleted tag 1".to_owned());
        assert_eq!(changes, expected);
        assert_eq!(mirror.object("event", 1)["tags"], json!([]));
    }

    async fn publication_of_a_linked_venue_is_one_change(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/venues", json!({"venue": "Hall", "status": "draft"})).await;
        let event = create_event(&admin, "Choir", json!({"venue": 1})).await;
        let mut mirror = Mirror::new(&server.anonymous(), "").await;
        assert_eq!(mirror.object("event", event)["venue"], json!([1]));
        admin.patch("/venues/1", json!({"status": "publish"})).await.is(200);
        assert_eq!(mirror.update().await, ["changed venue 1"]);
    }

    async fn members_are_those_of_the_objects(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in ["venues", "organizers", "categories", "tags"] {
            create_named(&admin, list, "Thing").await;
        }
        create_event(&admin, "Choir", json!({"venue": 1, "recurrence": "RRULE:FREQ=WEEKLY;COUNT=2"})).await;
        let mirror = Mirror::new(&server.anonymous(), "").await;
        let members = |object: &Value| -> BTreeSet<String> {
            object.as_object().expect("an object").keys().cloned().collect()
        };
        for (list, kind) in [
            ("events", "event"), ("venues", "venue"), ("organizers", "organizer"), ("categories", "category"),
            ("tags", "tag"),
        ] {
            let mut expected = members(&server.anonymous().get(&format!("/{list}/1")).await.is(200).body);
            expected.remove("json_ld");
            expected.remove("count");
            assert_eq!(members(mirror.object(kind, 1)), expected, "{kind}");
        }
        let series = members(&mirror.object("event", 1)["series"]);
        assert_eq!(series, BTreeSet::from(["id", "overridden", "recurrence_id"].map(str::to_owned)));
    }

    async fn writes_by_external_id_are_changes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let mut mirror = Mirror::new(&server.anonymous(), "").await;
        let path = "/venues/by-external-id/league/4711";
        admin.put(path, json!({"venue": "Hall"})).await.is(201);
        assert_eq!(mirror.update().await, ["changed venue 1"]);
        let venue = mirror.object("venue", 1);
        assert_eq!((&venue["external_source"], &venue["external_id"]), (&json!("league"), &json!("4711")));
        admin.put(path, json!({"city": "Kiel"})).await.is(200);
        assert_eq!(mirror.update().await, ["changed venue 1"]);
        admin.patch("/venues/1", json!({"external_source": null, "external_id": null})).await.is(200);
        assert_eq!(mirror.update().await, ["changed venue 1"]);
        assert_eq!(mirror.object("venue", 1)["external_id"], Value::Null);
    }

    async fn writes_of_a_batch_are_changes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let mut mirror = Mirror::new(&server.anonymous(), "").await;
        let request = |path: &str, body: Value| json!({"path": format!("/calendar/events/v1{path}"), "body": body});
        let venue = request("/venues", json!({"venue": "Hall"}));
        let event = request("/events", event_with(json!({"venue": "$1.id"})));
        for validation in ["normal", "require-all-validate"] {
            let run = async |requests: &[&Value]| {
                let batch = admin.request("POST", "/batch").header("idempotency-key", format!("{validation} {}", requests.len()));
                let batch = batch.json(&json!({"validation": validation, "requests": requests}));
                Response::fetch(batch).await.is(207)
            };
            let created = run(&[&venue, &event]).await.body;
            let id = |request: usize| &created["responses"][request]["body"]["id"];
            let mut changes = mirror.update().await;
            changes.sort();
            assert_eq!(changes, [format!("changed event {}", id(1)), format!("changed venue {}", id(0))]);
            // The response is repeated.
            run(&[&venue, &event]).await;
            assert!(mirror.update().await.is_empty(), "{validation}");
        }
        let incomplete = request("/venues", json!({}));
        let failed = json!({"validation": "require-all-validate", "requests": [venue, event, incomplete]});
        assert_eq!(admin.post("/batch", failed).await.is(207).body["failed"], "validation");
        assert!(mirror.update().await.is_empty());
    }

    async fn what_the_reader_may_not_see_is_deleted(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let mut public = Mirror::new(&server.anonymous(), "types=events").await;
        let mut own = Mirror::new(&author, "types=events").await;
        let mut all = Mirror::new(&admin, "types=events").await;
        let path = format!("/events/{}", create_event(&author, "Choir", json!({"status": "draft"})).await);
        assert_eq!(public.update().await, ["deleted event 1"]);
        assert_eq!(own.update().await, ["changed event 1"]);
        assert_eq!(all.update().await, ["changed event 1"]);
        admin.patch(&path, json!({"status": "publish"})).await.is(200);
        assert_eq!(public.update().await, ["changed event 1"]);
        admin.patch(&path, json!({"status": "private", "author": 1})).await.is(200);
        assert_eq!(public.update().await, ["deleted event 1"]);
        assert_eq!(own.update().await, ["deleted event 1"]);
        assert_eq!(all.update().await, ["changed event 1"]);
    }

    async fn purged_objects_are_deleted(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Choir", json!({})).await;
        let mut mirror = Mirror::new(&admin, "").await;
        admin.delete("/events/1").await.is(200);
        execute(&server, "DELETE FROM events").await;
        assert_eq!(mirror.update().await, ["deleted event 1"]);
        assert!(mirror.objects.is_empty());
    }

    async fn scheduled_publications_are_changes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let due = (Utc::now() + TimeDelta::seconds(2)).format("%Y-%m-%d %H:%M:%S").to_string();
        create_event(&admin, "Choir", json!({"date_utc": due})).await;
        let mut mirror = Mirror::new(&server.anonymous(), "").await;
        let mut all = Mirror::new(&admin, "").await;
        assert!(mirror.objects.is_empty());
        assert_eq!(all.object("event", 1)["status"], "future");
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(mirror.update().await, ["changed event 1"]);
        assert_eq!(all.update().await, ["changed event 1"]);
        assert_eq!(all.object("event", 1)["status"], "publish");
        assert!(mirror.update().await.is_empty());
    }

    async fn pages_follow_each_other(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for number in 0..5 {
            create_named(&admin, "venues", &format!("Hall {number}")).await;
        }
        let mut mirror = Mirror::new(&server.anonymous(), "limit=2").await;
        assert_eq!(mirror.objects.len(), 5);
        execute(&server, "UPDATE venues SET version = version + 1").await;
        create_named(&admin, "tags", "free").await;
        let page = mirror.reader.get(&format!("/changes?limit=2&since={}", mirror.token)).await.is(200).body;
        assert_eq!((page["changes"].as_array().map(Vec::len), &page["more"]), (Some(2), &json!(true)));
        let mut changes = mirror.update().await;
        changes.sort();
        let expected: Vec<String> = (1..=5).map(|id| format!("changed venue {id}")).collect();
        assert_eq!(changes[1..], expected);
        assert_eq!(changes[0], "changed tag 1");
    }

    async fn objects_that_change_between_pages_are_read(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for number in 0..4 {
            create_named(&admin, "venues", &format!("Hall {number}")).await;
        }
        let reader = server.anonymous();
        let first = reader.get("/changes?limit=2").await.is(200).body;
        admin.patch("/venues/1", json!({"venue": "New Hall"})).await.is(200);
        let mut mirror = Mirror::new(&reader, "limit=2").await;
        mirror.token = text(&first, "token");
        mirror.update().await;
        assert_eq!(mirror.update().await, ["changed venue 1"]);
    }

    async fn unchanged_calendar_is_not_modified(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_named(&admin, "tags", "free").await;
        let reader = server.anonymous();
        for client in [&reader, &admin] {
            let all = client.get("/changes").await.is(200);
            let path = format!("/changes?since={}", text(&all.body, "token"));
            let same = client.get(&path).await.is(200);
            assert_eq!((&same.body["changes"], &same.body["token"]), (&json!([]), &all.body["token"]));
            for tag in [all.header("etag"), same.header("etag")] {
                get_with(client, &path, &[("if-none-match", tag)]).await.is(304);
            }
            admin.patch("/tags/1", json!({"description": text(&all.body, "token")})).await.is(200);
            get_with(client, &path, &[("if-none-match", all.header("etag"))]).await.is(200);
        }
    }

    async fn foreign_tokens_expire(database) {
        let server = database.server(&["--base-url", "https://example.org"]).await;
        let admin = server.administrator().await;
        let editor = server.user("eve", Role::Editor).await;
        let reader = server.anonymous();
        let path = |response: Response| format!("/changes?since={}", text(&response.body, "token"));
        let of_admin = path(admin.get("/changes").await.is(200));
        let of_editor = path(editor.get("/changes").await.is(200));
        let of_reader = path(reader.get("/changes").await.is(200));
        for (client, path) in [
            (&reader, of_admin.as_str()), (&admin, of_reader.as_str()), (&editor, of_admin.as_str()), (&reader, "/changes?since=nothing"),
        ] {
            let expired = client.get(path).await.is_error(410, "sync_token_expired");
            assert_eq!(expired.body["data"]["restart_url"], "https://example.org/calendar/events/v1/changes");
        }
        execute(&server, "UPDATE users SET role = 'author' WHERE name = 'eve'").await;
        editor.get(&of_editor).await.is_error(410, "sync_token_expired");
        admin.get(&of_admin).await.is(200);
        let rejected = admin.get(&format!("{of_admin}&types=events")).await.is_error(400, "rest_invalid_param");
        assert_eq!(rejected.invalid_params(), ["types"]);
    }

    async fn forged_times_show_nothing_early(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let reader = server.anonymous();
        let token = text(&reader.get("/changes").await.is(200).body, "token");
        create_event(&admin, "Choir", json!({"date_utc": "2099-01-01 00:00:00"})).await;
        let year_9999 = 253_370_764_800_i64;
        let read = async |members: Value| {
            let path = format!("/changes?since={}", forged(&token, members));
            reader.get(&path).await.is(200).body["changes"].clone()
        };
        let since = read(json!({"t": year_9999})).await;
        assert_eq!((&since[0]["id"], &since[0]["object"]), (&json!(1), &Value::Null));
        assert_eq!(read(json!({"t": year_9999, "n": {"o": [0, 0]}})).await, json!([]));
        let due = json!({"n": {"s": [[members(&token)["e"], members(&token)["p"], year_9999], null]}});
        let again = read(due.clone()).await;
        assert_eq!(again, json!([]));
        let mut stream = Stream::open(&reader, "/changes/stream", Some(&forged(&token, due))).await;
        assert_eq!(stream.next().await["changes"], json!([]));
    }

    async fn forged_positions_expire(database) {
        let server = database.server(&[]).await;
        server.administrator().await;
        let reader = server.anonymous();
        let token = text(&reader.get("/changes").await.is(200).body, "token");
        let epoch = &members(&token)["e"];
        for members in [
            json!({"p": "nothing"}),
            json!({"n": {"c": [[epoch, "nothing", 0], null]}}), json!({"n": {"s": [[epoch, "-1", 0], null]}}),
        ] {
            let path = format!("/changes?since={}", forged(&token, members));
            reader.get(&path).await.is_error(410, "sync_token_expired");
        }
    }

    async fn tokens_expire_with_the_history(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let mut mirror = Mirror::new(&admin, "").await;
        create_named(&admin, "tags", "free").await;
        object_changes::begin_epoch(&server.store).await.expect("another history");
        let path = format!("/changes?since={}", mirror.token);
        admin.get(&path).await.is_error(410, "sync_token_expired");
        mirror = Mirror::new(&admin, "").await;
        create_named(&admin, "tags", "new").await;
        assert_eq!(mirror.update().await, ["changed tag 2"]);
    }

    async fn tokens_from_before_a_restore_expire(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_named(&admin, "tags", "free").await;
        // What a copy of the database has.
        let mut before = Mirror::new(&admin, "").await;
        create_named(&admin, "tags", "lost").await;
        let after = Mirror::new(&admin, "").await;
        match server.store.reader().get_database_backend() {
            DbBackend::Postgres => {
                // A dump inserts the row again.
                execute(&server, "CREATE TEMPORARY TABLE dump AS TABLE change_epochs; DELETE FROM change_epochs; \
                    INSERT INTO change_epochs SELECT * FROM dump; DROP TABLE dump").await;
                let path = format!("/changes?since={}", before.token);
                admin.get(&path).await.is_error(410, "sync_token_expired");
            }
            _ => {
                execute(&server, "DELETE FROM tags WHERE id = 2; DELETE FROM object_changes WHERE number > 1; \
                    UPDATE sqlite_sequence SET seq = 1 WHERE name = 'object_changes'").await;
                object_changes::continue_epoch(&server.store).await.expect("a start of the server");
                create_named(&admin, "tags", "new").await;
                create_named(&admin, "tags", "newer").await;
                assert_eq!(before.update().await.len(), 2);
            }
        }
        let path = format!("/changes?since={}", after.token);
        admin.get(&path).await.is_error(410, "sync_token_expired");
    }

    async fn old_changes_are_deleted(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for name in ["One", "Two", "Three"] {
            create_named(&admin, "tags", name).await;
        }
        let mut mirror = Mirror::new(&admin, "").await;
        execute(&server, "UPDATE object_changes SET changed_at = 5 WHERE object_id < 3").await;
        let deleted = object_changes::trim(&server.store, 6).await;
        assert_eq!(deleted.expect("a result"), 2);
        create_named(&admin, "tags", "Four").await;
        assert_eq!(mirror.update().await, ["changed tag 4"]);
    }

    async fn late_commits_are_not_missed(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for name in ["One", "Two"] {
            create_named(&admin, "tags", name).await;
        }
        // SQLite has one writer.
        if server.store.reader().get_database_backend() != DbBackend::Postgres {
            return;
        }
        let mut mirror = Mirror::new(&server.anonymous(), "").await;
        let write = async |id: i64| {
            let transaction = server.store.begin().await.expect("a transaction");
            let update = format!("UPDATE tags SET version = version + 1 WHERE id = {id}");
            transaction.execute_unprepared(&update).await.expect("an update");
            transaction
        };
        let first = write(1).await;
        let second = write(2).await;
        assert!(mirror.update().await.is_empty());
        second.commit().await.expect("a commit");
        assert_eq!(mirror.update().await, ["changed tag 2"]);
        assert!(mirror.update().await.is_empty());
        first.commit().await.expect("a commit");
        assert_eq!(mirror.update().await, ["changed tag 1"]);
        assert!(mirror.update().await.is_empty());
    }

    async fn parameters_are_checked(database) {
        let server = database.server(&[]).await;
        let reader = server.anonymous();
        assert_rejected(&reader, "changes", &[
            ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=many", "limit"), ("types=event", "types"),
            ("types=events,users", "types"), ("fields=nothing", "fields"),
        ]).await;
        let admin = server.administrator().await;
        create_named(&admin, "tags", "free").await;
        let selected = reader.get("/changes?fields=id,change").await.is(200).body;
        assert_eq!(selected["changes"], json!([{"id": 1, "change": "changed"}]));
    }

    async fn stream_sends_changes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_named(&admin, "tags", "free").await;
        let mut stream = Stream::open(&server.anonymous(), "/changes/stream", None).await;
        let first = stream.next().await;
        assert_eq!(first["changes"], json!([]));
        let mut other = Stream::open(&server.anonymous(), "/changes/stream?types=venues", None).await;
        other.next().await;
        create_named(&admin, "tags", "new").await;
        let second = stream.next().await;
        assert_eq!((&second["changes"][0]["type"], &second["changes"][0]["id"]), (&json!("tag"), &json!(2)));
        create_named(&admin, "venues", "Hall").await;
        assert_eq!(other.next().await["changes"][0]["object"]["venue"], "Hall");
        let mut replay = Stream::open(&server.anonymous(), "/changes/stream", first["token"].as_str()).await;
        let replayed = replay.next().await;
        let kinds: Vec<String> = (0..2).map(|index| text(&replayed["changes"][index], "type")).collect();
        assert_eq!(kinds, ["tag", "venue"]);
        let expired = get_with(&server.anonymous(), "/changes/stream", &[("last-event-id", "nothing")]).await;
        expired.is_error(410, "sync_token_expired");
    }

    async fn audiences_of_streams_are_limited(database) {
        let server = database.server(&[]).await;
        let (reader, admin) = (server.anonymous(), server.administrator().await);
        let open = |client: &Client, host: usize, types: &str| {
            let request = client.request("GET", &format!("/changes/stream?types={types}"));
            request.header("host", format!("host{host}.example"))
        };
        let mut streams = Vec::new();
        for host in 0..64 {
            let stream = open(&reader, host, "events,venues").send().await.expect("a response");
            assert_eq!(stream.status(), 200, "{host}");
            streams.push(stream);
        }
        let rejected = Response::fetch(open(&reader, 64, "events,venues")).await.is_error(503, "rest_unavailable");
        assert_eq!(rejected.header("retry-after"), "60");
        for (client, host, types) in [(&reader, 0, "venues,events,venues"), (&admin, 64, "events")] {
            let stream = open(client, host, types).send().await.expect("a response");
            assert_eq!(stream.status(), 200, "{types}");
        }
    }

    async fn compatibility_root_streams_changes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let mut stream = Stream::open(&server.anonymous(), "~/wp-json/tribe/events/v1/changes/stream", None).await;
        stream.next().await;
        create_named(&admin, "tags", "free").await;
        assert_eq!(stream.next().await["changes"][0]["type"], "tag");
    }

    async fn stream_hides_what_the_listener_may_not_see(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let mut public = Stream::open(&server.anonymous(), "/changes/stream", None).await;
        let mut all = Stream::open(&admin, "/changes/stream", None).await;
        public.next().await;
        all.next().await;
        create_event(&admin, "Choir", json!({"status": "draft"})).await;
        assert_eq!(public.next().await["changes"][0]["object"], Value::Null);
        assert_eq!(all.next().await["changes"][0]["object"]["title"], "Choir");
    }
}

/// An open stream of events.
struct Stream {
    response: reqwest::Response,
    buffer: String,
}

impl Stream {
    async fn open(client: &Client, path: &str, last_event_id: Option<&str>) -> Self {
        let mut request = client.request("GET", path).header("accept", "text/event-stream");
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        let response = request.send().await.expect("a response");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            buffer: String::new(),
        }
    }

    /// The data of the next event, whose ID is the token.
    async fn next(&mut self) -> Value {
        loop {
            if let Some(end) = self.buffer.find("\n\n") {
                let event: String = self.buffer.drain(..end + 2).collect();
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let data: Value = serde_json::from_str(field("data: ").expect("data")).expect("JSON");
                assert_eq!(field("id: "), data["token"].as_str());
                return data;
            }
            let chunk = tokio::time::timeout(Duration::from_secs(10), self.response.chunk());
            let chunk = chunk
                .await
                .expect("an event in time")
                .expect("a chunk")
                .expect("an open stream");
            self.buffer.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }
}
