//! Events that do not take place as planned.

use std::iter::zip;

use crate::{
    event, on_both_databases,
    support::{Client, Response},
};

async fn create(admin: &Client, title: &str, (start, end): (&str, &str), status: &str) {
    let mut body = event(title, start, end);
    body["event_status"] = status.into();
    admin.create("/events", body).await;
}

/// A page in this language.
async fn read(client: &Client, path: &str, language: &str) -> String {
    let request = client.request("GET", path).header("accept-language", language);
    Response::fetch(request).await.is(200).text
}

on_both_databases! {
    async fn status_is_shown_as_badge(on) {
        let server = on.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let dates = ("2030-12-24 20:00", "2030-12-24 23:00");
        for (title, status) in [
            ("Concert", "scheduled"), ("Talk", "canceled"), ("Fair", "postponed"), ("Class", "moved_online"),
        ] {
            create(&admin, title, dates, status).await;
        }
        let anonymous = server.anonymous();
        for (language, badges) in [
            ("en", ["Canceled", "Postponed", "Moved online"]),
            ("es", ["Cancelado", "Aplazado", "Pasa a ser en línea"]),
        ] {
            let badges = badges.map(|text| format!("<span class=\"status\">{text}</span>"));
            for path in [
                "~/", "~/events", "~/events/month/2030-12", "~/events/2030-12-24", "~/embed/list",
                "~/embed/month/2030-12",
            ] {
                let page = read(&anonymous, path, language).await;
                assert_eq!(page.matches("class=\"status\"").count(), badges.len(), "{path}");
                for badge in &badges {
                    assert!(page.contains(badge), "{path}: {badge}");
                }
            }
            for (slug, badge) in zip(["talk", "fair", "class"], &badges) {
                let page = read(&anonymous, &format!("~/event/{slug}"), language).await;
                let (before, _) = page.split_once("<h1>").expect("a heading");
                assert!(before.contains(badge.as_str()), "{slug}: {badge}");
            }
        }
    }

    async fn canceled_event_is_not_added_to_calendars(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let dates = ("2030-12-24 20:00", "2030-12-24 23:00");
        for (title, status, is_offered) in [("Concert", "scheduled", true), ("Talk", "canceled", false)] {
            create(&admin, title, dates, status).await;
            let page = read(&server.anonymous(), &format!("~/event/{}", title.to_lowercase()), "en").await;
            assert_eq!(page.contains("Add to calendar"), is_offered, "{status}");
        }
    }

    async fn every_day_of_a_long_event_has_its_status(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        create(&admin, "Festival", ("2030-12-10 10:00", "2030-12-12 20:00"), "canceled").await;
        let page = read(&server.anonymous(), "~/events/month/2030-12", "en").await;
        assert_eq!(page.matches("<span class=\"status\">Canceled</span> Festival</a>").count(), 1);
        assert_eq!(page.matches("Festival (continues) Canceled</span>").count(), 2);
    }
}
