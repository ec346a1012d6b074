//! `almanac export` and `almanac import ndjson`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::{
    on_both_databases, sample_calendar,
    support::program::{ServerProcess, program, run, sqlite_url, stderr, stdout_lines},
};

/// The bytes of an export.
fn export(url: &str) -> Vec<u8> {
    let output = run(&["export", "--database-url", url]);
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

fn import(file: &Path, url: &str, flags: &[&str]) -> Output {
    let file = file.to_str().expect("UTF-8");
    let arguments = ["import", "ndjson", file, "--database-url", url];
    run(&[&arguments, flags].concat())
}

/// An export in a file of a temporary directory.
fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("all.ndjson");
    fs::write(&path, bytes).expect("a file");
    (directory, path)
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn assert_well(url: &str) {
    let printed = stdout_lines(&["check", "--database-url", url]);
    assert_eq!(printed.last().map(String::as_str), Some("all is well"), "{printed:?}");
}

on_both_databases! {
    async fn export_has_everything_but_secrets(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let bytes = export(&url);
        let lines = lines(&bytes);
        let count = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
        assert_eq!(lines[0]["kind"], "calendar");
        assert_eq!(count("user"), 2);
        assert_eq!(count("category"), 2);
        assert_eq!(count("tag"), 1);
        assert_eq!(count("image"), 2);
        assert_eq!(count("series"), 1);
        assert_eq!(count("event"), 8);
        let end = lines.last().expect("lines");
        assert_eq!(end["kind"], "end");
        assert_eq!(end["counts"]["events"], 8);
        let user = lines.iter().find(|line| line["name"] == "ann").expect("a user");
        assert_eq!(*user, json!({"kind": "user", "id": 2, "name": "ann", "role": "editor"}));
        let choir = lines.iter().find(|line| line["title"] == "Choir").expect("an event");
        assert_eq!(choir["slug"], "choir-of-kiel");
        assert_eq!(choir["former_slugs"], json!(["choir"]));
        assert_eq!(choir["venues"].as_array().map(Vec::len), Some(2));
        assert_eq!((&choir["external_source"], &choir["external_id"]), (&json!("league"), &json!("4711")));
        assert_eq!(lines[0]["last_ids"]["events"], 9, "the purged event had the highest ID");
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(!text.contains("password") && !text.contains("\"token\"") && !text.contains("search_text"), "{text}");
    }

    async fn import_restores_the_same_bytes(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let bytes = export(&url);
        let (directory, all) = file(&bytes);
        // On SQLite, and again on this database.
        for target in [sqlite_url(directory.path()), database.empty_url().await] {
            let output = import(&all, &target, &[]);
            assert!(output.status.success(), "{output:?}");
            assert!(stderr(&output).contains("users without a password, because exports have none: 2"), "{output:?}");
            let again = export(&target);
            assert!(again == bytes, "{}\n{}", String::from_utf8_lossy(&again), String::from_utf8_lossy(&bytes));
            assert_well(&target);
            // IDs continue, and searches find what was imported.
            let password = stdout_lines(&["user", "password", "admin", "--database-url", &target]);
            let server = ServerProcess::start(&["--database-url", &target]);
            let admin = server.anonymous().with_password("admin", &password[0]);
            let found = admin.get("/events?search=bach&start_date=2027-01-01&end_date=2028-01-01").await.is(200);
            assert_eq!(found.texts("events", "title"), ["Choir"]);
            let event = json!({"title": "New", "start_date": "2027-05-01", "end_date": "2027-05-01"});
            assert_eq!(admin.create_id("/events", event).await, 10);
        }
    }

    async fn import_needs_an_empty_calendar(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let before = export(&url);
        let (_directory, all) = file(&before);
        let output = import(&all, &url, &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("already contains a calendar"), "{output:?}");
        assert!(export(&url) == before, "the calendar has changed");
    }

    async fn dry_run_changes_nothing(database) {
        let source = database.empty_url().await;
        sample_calendar::fill(&source).await;
        let (_directory, all) = file(&export(&source));
        let url = database.url().await;
        let before = export(&url);
        let output = import(&all, &url, &["--dry-run"]);
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.starts_with("the file is valid; it has ") && printed.contains("8 events"), "{printed}");
        assert!(export(&url) == before, "the calendar has changed");
    }

    async fn invalid_file_is_rejected_with_all_errors(database) {
        let source = database.empty_url().await;
        sample_calendar::fill(&source).await;
        let text = String::from_utf8(export(&source)).expect("UTF-8");
        let wrong = text
            .replace("\"status\":\"private\"", "\"status\":\"secret\"")
            .replace("\"title\":\"Choir\"", "\"title\":7")
            .replace("\"slug\":\"hall\"", "\"slug\":\"\"");
        let (_directory, all) = file(wrong.as_bytes());
        let url = database.url().await;
        let before = export(&url);
        let output = import(&all, &url, &[]);
        assert_eq!(output.status.code(), Some(1));
        let errors = stderr(&output);
        for expected in [
            "the member status must be publish, draft, pending, private or trash",
            "the member title must be a text",
            "the member slug must not be empty",
        ] {
            assert!(errors.contains(expected), "{expected}: {errors}");
        }
        assert!(errors.contains("line "), "{errors}");
        assert!(export(&url) == before, "the calendar has changed");
    }

    async fn external_ids_of_files_are_checked(database) {
        let source = database.empty_url().await;
        sample_calendar::fill(&source).await;
        let text = String::from_utf8(export(&source)).expect("UTF-8");
        let line = |title: &str| {
            let title = format!("\"title\":\"{title}\"");
            1 + text.lines().position(|line| line.contains(&title)).expect("an object")
        };
        let wrong = text
            .replace(r#""external_id":"8 \"a\"""#, r#""external_id":"7""#)
            .replace(r#""external_source":"league""#, r#""external_source":null"#);
        let (_directory, all) = file(wrong.as_bytes());
        let output = import(&all, &database.url().await, &[]);
        assert_eq!(output.status.code(), Some(1));
        let errors = stderr(&output);
        for expected in [
            format!(
                "line {}: another venue has the same external_source and external_id, \"register\" and \"7\"",
                line("Closed")
            ),
            format!(
                "line {}: the members external_source and external_id must be both a text, or both null",
                line("Choir")
            ),
        ] {
            assert!(errors.contains(&expected), "{expected}: {errors}");
        }
    }

    async fn files_of_earlier_versions_lack_columns(database) {
        let source = database.empty_url().await;
        sample_calendar::fill(&source).await;
        let text = String::from_utf8(export(&source)).expect("UTF-8");
        let earlier: String = text
            .lines()
            .map(|line| {
                let mut line: Map<String, Value> = serde_json::from_str(line).expect("an object");
                // Series have always had it.
                if line["kind"] != "series" {
                    line.remove("uid");
                }
                line.remove("external_source");
                line.remove("external_id");
                format!("{}\n", Value::Object(line))
            })
            .collect();
        let (_directory, all) = file(earlier.as_bytes());
        let url = database.empty_url().await;
        let output = import(&all, &url, &[]);
        assert!(output.status.success(), "{output:?}");
        let choir = lines(&export(&url)).into_iter().find(|line| line["title"] == "Choir").expect("an event");
        assert_eq!((&choir["uid"], &choir["external_id"]), (&Value::Null, &Value::Null));
    }

    async fn markup_of_imports_is_sanitised(database) {
        let source = database.empty_url().await;
        sample_calendar::fill(&source).await;
        let text = String::from_utf8(export(&source)).expect("UTF-8");
        let script = text.replace("<p>Sings", "<script>alert(1)</script><p onclick='x()'>Sings");
        assert!(script != text, "the sample has the description");
        let (_directory, all) = file(script.as_bytes());
        let url = database.empty_url().await;
        let output = import(&all, &url, &[]);
        assert!(output.status.success(), "{output:?}");
        assert!(stderr(&output).contains("markup was removed that is not allowed, such as scripts: 1"), "{output:?}");
        assert!(String::from_utf8_lossy(&export(&url)) == text);
    }

    async fn events_as_csv(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let arguments = ["export", "--format", "csv", "--database-url", &url];
        let export = |more: &[&str]| {
            let output = run(&[&arguments, more].concat());
            assert!(output.status.success(), "{output:?}");
            (String::from_utf8(output.stdout).expect("UTF-8"), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (events, notes) = export(&["--kind", "events", "--query", "categories=music"]);
        let (header, rows) = events.split_once("\r\n").expect("a header");
        assert_eq!(header.split(',').count(), 26);
        assert!(header.starts_with("Event Name,Event Description,"), "{header}");
        let expected = "Choir,<p>Sings <em>Bach</em></p>,Short,2027-10-31,02:30:00,2027-10-31,04:00:00,Europe/Berlin,\
                        false,false,false,true,Hall,\"Ben,Cleo\",";
        assert!(rows.starts_with(expected), "{rows}");
        assert!(rows.contains(",Jazz,\"Frei & \"\"laut\"\"\","), "{rows}");
        assert!(notes.contains("events with several venues, of which CSV has the first: 1"), "{notes}");
        // Unpublished events are selected by the parameter of lists.
        let (published, _) = export(&["--kind", "events"]);
        assert!(!published.contains("Rehearsal") && published.contains("Festival"), "{published}");
        let (private, _) = export(&["--kind", "events", "--query", "status=private"]);
        assert!(private.contains("Rehearsal") && !private.contains("Festival"), "{private}");
        let (venues, _) = export(&["--kind", "venues"]);
        assert!(venues.contains("\r\nHall,,Germany,,,Kiel,,,,,https://example.org/hall.png\r\n"), "{venues}");
        let (organizers, _) = export(&["--kind", "organizers"]);
        assert!(organizers.contains("\r\nAnn,,ann@example.org,,,\r\n"), "{organizers}");
        assert!(!organizers.contains("Former"), "it is in the trash: {organizers}");
        let (categories, _) = export(&["--kind", "categories"]);
        assert_eq!(categories, "ID,Name,Slug,Parent,Description\r\n1,Jazz,jazz,2,<b>Swing</b>\r\n2,Music,music,0,\r\n");
    }

    async fn events_as_icalendar(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let export = |query: &str| {
            run(&["export", "--format", "ics", "--query", query, "--base-url", "https://example.org", "--database-url", &url])
        };
        let output = export("search=sings bach");
        assert!(output.status.success(), "{output:?}");
        let calendar = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(calendar.starts_with("BEGIN:VCALENDAR\r\n") && calendar.ends_with("END:VCALENDAR\r\n"), "{calendar}");
        assert_eq!(calendar.matches("BEGIN:VEVENT").count(), 1, "{calendar}");
        assert!(calendar.contains("SUMMARY:Choir") && calendar.contains("https://example.org/event/choir-of-kiel"));
        // All times are included by default, and unknown parameters are named.
        let all = export("status=any");
        let calendar = String::from_utf8_lossy(&all.stdout).into_owned();
        assert!(calendar.contains("SUMMARY:Rehearsal") && calendar.contains("DTSTART"), "{calendar}");
        let output = export("categorys=jazz&start_date=soon");
        assert_eq!(output.status.code(), Some(1));
        let errors = stderr(&output);
        assert!(errors.contains("categorys: ") && errors.contains("start_date: "), "{errors}");
    }
}

#[test]
fn flags_of_exports_fit_together() {
    for (arguments, code, hint) in [
        (&["--format", "csv"][..], 2, "--kind"),
        (
            &["--format", "ics", "--kind", "events"],
            1,
            "--kind is only for --format csv",
        ),
        (&["--query", "categories=jazz"], 1, "other exports are complete"),
        (&["--format", "xml"], 2, "ndjson, csv, ics"),
    ] {
        let output = run(&[&["export"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(stderr(&output).contains(hint), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn closed_pipe_is_no_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = sqlite_url(directory.path());
    stdout_lines(&["demo", "--events", "2000", "--database-url", &url]);
    let almanac = program(&[]);
    let script = "\"$0\" export --database-url \"$1\" | head -n 1";
    let output = std::process::Command::new("bash")
        .args(["-o", "pipefail", "-c", script])
        .arg(almanac.get_program())
        .arg(&url)
        .output()
        .expect("bash starts");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.starts_with(b"{\"kind\":\"calendar\""), "{output:?}");
}
