//! Content negotiation: media types of responses and errors.

use crate::{
    fixtures::{get_with, send_with},
    on_both_databases,
};

on_both_databases! {
    async fn problem_json_on_request(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        let accept = [("accept", "application/problem+json, application/json;q=0.5")];
        for (method, path, status) in [
            ("GET", "/events/99", 404), ("GET", "/nowhere", 404), ("DELETE", "/events", 405), ("POST", "/events", 401),
            ("GET", "/events?page=0", 400), ("GET", "~/nowhere", 404),
        ] {
            let native = send_with(&anonymous, method, path, &[]).await.is(status);
            assert_eq!(native.header("content-type"), "application/json");
            let problem = send_with(&anonymous, method, path, &accept).await.is(status);
            assert_eq!(problem.header("content-type"), "application/problem+json", "{path}");
            assert_eq!(problem.body["status"], status);
            assert_eq!(problem.body["detail"], native.body["message"]);
            assert_eq!(problem.body["code"], native.body["code"]);
            assert_eq!(problem.body["data"], native.body["data"]);
            for member in ["type", "title"] {
                assert!(problem.body[member].as_str().is_some_and(|text| !text.is_empty()), "{member}");
            }
            for header in ["allow", "www-authenticate"] {
                assert_eq!(problem.header(header), native.header(header), "{path}");
            }
        }
        let alone = [("accept", "application/problem+json")];
        get_with(&anonymous, "/events", &alone).await.is(200);
    }

    async fn accept_without_json_is_406(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        for accept in ["text/html", "application/xml", "image/*", "application/json;q=0", "text/html, */*;q=0"] {
            get_with(&anonymous, "/events", &[("accept", accept)]).await.is_error(406, "rest_not_acceptable");
        }
        for accept in [
            "*/*", "application/*", "application/json", "text/html, */*;q=0.1", "application/json; charset=utf-8",
            "application/hal+json", "*", "",
        ] {
            let response = get_with(&anonymous, "/events", &[("accept", accept)]).await;
            assert_eq!(response.status, 200, "{accept}");
        }
        get_with(&anonymous, "~/", &[("accept", "text/html")]).await.is(200);
    }
}
