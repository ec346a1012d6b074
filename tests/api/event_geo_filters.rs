//! Geo filters of event lists.

use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected},
    fixtures::create_event,
    on_both_databases,
    support::Client,
};

/// Creates an event at a new venue with these coordinates.
async fn create_event_near(client: &Client, title: &str, latitude: f64, longitude: f64) {
    let venue = json!({"venue": title, "geo_lat": latitude, "geo_lng": longitude});
    create_event(client, title, json!({"venue": venue})).await;
}

on_both_databases! {
    async fn geoloc_filter(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            // Zero is a valid coordinate.
            create_event_near(&admin, "Zero", 0.0, 0.0).await;
            create_event(&admin, "Nowhere", json!({"venue": {"venue": "Hall"}})).await;
            create_event(&admin, "Homeless", json!({})).await;
            create_event(
                &admin,
                "Two",
                json!({"venue": [{"venue": "Hall"}, {"venue": "Park", "geo_lat": 1, "geo_lng": 2}]}),
            )
            .await;
            assert_lists(&admin, "events", &[
                ("geoloc=true", "Zero Two"),
                ("geoloc=false", "Nowhere Homeless"),
                ("geoloc=1", "Zero Two"),
                ("geoloc=0", "Nowhere Homeless"),
                ("", "Zero Nowhere Homeless Two"),
            ]).await;
            assert_rejected(&admin, "events", &[("geoloc=perhaps", "geoloc")]).await;
        }
    }

    async fn default_radius_is_40_km(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        // A degree of latitude is 111.2 km long; one of longitude is 67.7 km long at 52.5 degrees north.
        for (title, latitude, longitude) in [
            ("Here", 52.52, 13.405),
            ("North39", 52.52 + 39.0 / 111.2, 13.405),
            ("North41", 52.52 + 41.0 / 111.2, 13.405),
            ("South39", 52.52 - 39.0 / 111.2, 13.405),
            ("South41", 52.52 - 41.0 / 111.2, 13.405),
            ("East39", 52.52, 13.405 + 39.0 / 67.7),
            ("East41", 52.52, 13.405 + 41.0 / 67.7),
            ("West39", 52.52, 13.405 - 39.0 / 67.7),
            ("West41", 52.52, 13.405 - 41.0 / 67.7),
            // Inside the bounding box, outside of the radius: 29 km north and 29 km east is 41 km.
            ("Corner", 52.52 + 29.0 / 111.2, 13.405 + 29.0 / 67.7),
            ("Antipode", -52.52, -166.595),
        ] {
            create_event_near(&admin, title, latitude, longitude).await;
        }
        create_event(&admin, "Homeless", json!({})).await;
        assert_lists(&admin, "events", &[
            ("geoloc_lat=52.52&geoloc_lng=13.405", "Here North39 South39 East39 West39"),
            ("geoloc_lat=0&geoloc_lng=0", ""),
        ]).await;
    }

    async fn areas_follow_changes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = |name: &str, latitude: f64| json!({"venue": name, "geo_lat": latitude, "geo_lng": 0});
        let here = admin.create_id("/venues", venue("Here", 0.0)).await;
        let there = admin.create_id("/venues", venue("There", 0.1)).await;
        create_event(&admin, "One", json!({"venue": {"id": here}})).await;
        create_event(&admin, "Two", json!({"venue": {"id": there}})).await;
        let both = json!({"venue": [{"id": here}, {"id": there}]});
        for (path, change, expected) in [
            ("/events/1", json!({"featured": true}), "One Two"),
            ("/events/1", both, "One Two"),
            (&format!("/venues/{here}"), json!({"geo_lat": 9}), "One Two"),
            ("/events/2", json!({"status": "draft"}), "One"),
            (&format!("/venues/{there}"), json!({"status": "draft"}), ""),
            (&format!("/venues/{here}"), json!({"geo_lat": 0.2}), "One"),
        ] {
            admin.patch(path, change).await.is(200);
            // After some areas, the events at each venue are counted in memory.
            for number in 0..6 {
                assert_lists(&admin, "events", &[(&format!("geoloc_lat=0.0{number}&geoloc_lng=0"), expected)]).await;
            }
        }
    }

    async fn event_with_two_near_venues_listed_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = |name: &str, latitude: f64| json!({"venue": name, "geo_lat": latitude, "geo_lng": 0});
        let (here, there, far) = (venue("Here", 0.0), venue("There", 0.1), venue("Far", 9.0));
        for (title, venues) in [
            ("Both", json!([here, there])),
            ("Far", json!([far])),
            ("FarFirst", json!([far, there])),
            ("FarBetween", json!([here, far, there])),
            ("Nowhere", json!([])),
        ] {
            create_event(&admin, title, json!({"venue": venues})).await;
        }
        // First most events are near, then few.
        for others in [0, 60] {
            for number in 0..others {
                create_event(&admin, &format!("Other{number}"), json!({})).await;
            }
            assert_lists(&server.anonymous(), "events", &[
                ("geoloc_lat=0&geoloc_lng=0", "Both FarFirst FarBetween"),
                ("geoloc_lat=9&geoloc_lng=0", "Far FarFirst FarBetween"),
                ("geoloc_lat=5&geoloc_lng=0", ""),
            ]).await;
            let page = admin.get("/events?geoloc_lat=0&geoloc_lng=0&per_page=2&page=2").await.is(200);
            assert_eq!(page.body["total"], 3);
            assert_eq!(page.body["events"][0]["title"], "FarBetween");
        }
    }

    async fn radius_flag(database) {
        let server = database.server(&["--variant", "a", "--geoloc-radius-km", "10"]).await;
        let admin = server.administrator().await;
        create_event_near(&admin, "Nine", 9.0 / 111.2, 0.0).await;
        create_event_near(&admin, "Eleven", 0.0, 11.0 / 111.2).await;
        assert_lists(&admin, "events", &[("geoloc_lat=0&geoloc_lng=0", "Nine")]).await;
    }

    async fn radius_of_the_request(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant, "--geoloc-radius-km", "10"]).await;
            let admin = server.administrator().await;
            for kilometres in [1, 9, 99, 499, 501] {
                create_event_near(&admin, &format!("At{kilometres}"), f64::from(kilometres) / 111.2, 0.0).await;
            }
            assert_lists(&admin, "events", &[
                ("geoloc_lat=0&geoloc_lng=0", "At1 At9"),
                ("geoloc_lat=0&geoloc_lng=0&geoloc_radius=2", "At1"),
                ("geoloc_lat=0&geoloc_lng=0&geoloc_radius=0", ""),
                ("geoloc_lat=0&geoloc_lng=0&geoloc_radius=99.5", "At1 At9 At99"),
                ("geoloc_lat=0&geoloc_lng=0&geoloc_radius=500", "At1 At9 At99 At499"),
            ]).await;
        }
    }

    async fn box_filter(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            for (title, latitude, longitude) in [
                ("Berlin", 52.52, 13.405),
                ("Kiel", 54.32, 10.14),
                ("Suva", -18.14, 178.44),
                ("Apia", -13.83, -171.76),
                ("Null", 0.0, 0.0),
            ] {
                create_event_near(&admin, title, latitude, longitude).await;
            }
            create_event(&admin, "Homeless", json!({})).await;
            let kiel = json!({"venue": [{"venue": "Kiel", "geo_lat": 54.32, "geo_lng": 10.14}, {"venue": "Nowhere"}]});
            create_event(&admin, "Two", kiel).await;
            assert_lists(&admin, "events", &[
                ("geoloc_box=9,50,14,55", "Berlin Kiel Two"),
                ("geoloc_box=13,50,14,55", "Berlin"),
                ("geoloc_box=13.405,52.52,13.405,52.52", "Berlin"),
                // Across the 180th meridian.
                ("geoloc_box=170,-30,-170,0", "Suva Apia"),
                ("geoloc_box=-170,-30,170,0", "Null"),
                ("geoloc_box=-180,-90,180,90", "Berlin Kiel Suva Apia Null Two"),
                ("geoloc_box[]=9&geoloc_box[]=50&geoloc_box[]=14&geoloc_box[]=55", "Berlin Kiel Two"),
                ("geoloc_box=9,50,14,55&geoloc_lat=52.5&geoloc_lng=13.4", "Berlin"),
                ("geoloc_box=9,50,14,55&geoloc=false", ""),
            ]).await;
        }
    }

    async fn antimeridian_and_pole(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (title, latitude, longitude) in [
            // A degree of longitude is 105.8 km long at 18 degrees south: 32 km and 64 km from 179.9.
            ("Fiji", -18.0, -179.8),
            ("Farther", -18.0, -179.5),
            // 22 km from 89.9 degrees north on the other side of the pole.
            ("Pole", 89.9, 180.0),
        ] {
            create_event_near(&admin, title, latitude, longitude).await;
        }
        assert_lists(&admin, "events", &[
            ("geoloc_lat=-18&geoloc_lng=179.9", "Fiji"),
            ("geoloc_lat=-18&geoloc_lng=-179.9", "Fiji"),
            ("geoloc_lat=89.9&geoloc_lng=0", "Pole"),
            ("geoloc_lat=90&geoloc_lng=-77", "Pole"),
        ]).await;
    }

    async fn coordinates_required_together(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            assert_rejected(&server.anonymous(), "events", &[
                ("geoloc_lat=52.52", "geoloc_lng"),
                ("geoloc_lng=13.405", "geoloc_lat"),
                ("geoloc_lat=52.52&geoloc_lng=", "geoloc_lng"),
                ("geoloc_lat=91&geoloc_lng=0", "geoloc_lat"),
                ("geoloc_lat=0&geoloc_lng=-181", "geoloc_lng"),
                ("geoloc_lat=north&geoloc_lng=0", "geoloc_lat"),
                ("geoloc_lat=0&geoloc_lng=NaN", "geoloc_lng"),
                ("geoloc_lat=0&geoloc_radius=5", "geoloc_lng"),
                ("geoloc_lat=0&geoloc_lng=0&geoloc_radius=501", "geoloc_radius"),
                ("geoloc_lat=0&geoloc_lng=0&geoloc_radius=-1", "geoloc_radius"),
                ("geoloc_box=1,2,3", "geoloc_box"),
                ("geoloc_box=1,2,3,4,5", "geoloc_box"),
                ("geoloc_box=1,4,3,2", "geoloc_box"),
                ("geoloc_box=1,2,181,4", "geoloc_box"),
                ("geoloc_box=1,-91,3,4", "geoloc_box"),
                ("geoloc_box=west,2,3,4", "geoloc_box"),
                ("geoloc_box=1,NaN,3,4", "geoloc_box"),
            ]).await;
            let lone = server.anonymous().get("/events?geoloc_radius=5").await;
            assert_eq!(lone.is_error(400, "rest_invalid_param").invalid_params(), ["geoloc_lat", "geoloc_lng"]);
        }
    }

    async fn unpublished_venues_ignored(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (title, fields) in [
            ("Draft", json!({"status": "draft"})),
            ("Planned", json!({"date": "2099-01-01 00:00:00"})),
            ("Trashed", json!({})),
        ] {
            let mut venue = json!({"venue": title, "geo_lat": 1, "geo_lng": 2});
            venue.as_object_mut().expect("an object").extend(fields.as_object().expect("fields").clone());
            let id = admin.create_id("/venues", venue).await;
            create_event(&admin, title, json!({"venue": [id]})).await;
            if title == "Trashed" {
                admin.delete(&format!("/venues/{id}")).await.is(200);
            }
        }
        create_event_near(&admin, "Open", 1.0, 2.0).await;
        assert_lists(&server.anonymous(), "events", &[
            ("geoloc=true", "Open"),
            ("geoloc=false", "Draft Planned Trashed"),
            ("geoloc_lat=1&geoloc_lng=2", "Open"),
        ]).await;
    }
}
