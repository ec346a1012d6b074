//! Discovery of the API by WordPress clients.

use serde_json::json;

use crate::{
    on_both_databases,
    support::{Response, Server},
};

const NAMESPACES: [&str; 2] = ["tribe/events/v1", "calendar/events/v1"];

fn link(server: &Server) -> String {
    format!("<{}/wp-json/>; rel=\"https://api.w.org/\"", server.address)
}

on_both_databases! {
    async fn start_page_link_header(on) {
        let server = on.server(&[]).await;
        let client = server.anonymous();
        for method in ["GET", "HEAD"] {
            let response = Response::fetch(client.request(method, "~/")).await.is(200);
            assert_eq!(response.header("link"), link(&server), "{method}");
        }
    }

    async fn detection_headers_and_elements(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/venues", json!({"venue": "Hall"})).await;
        let (client, base) = (server.anonymous(), &server.address);
        for path in ["~/", "~/venue/hall", "~/explorer"] {
            for method in ["GET", "HEAD"] {
                let page = Response::fetch(client.request(method, path)).await.is(200);
                assert_eq!(page.header("x-tec-api-version"), "v1", "{method} {path}");
                let root = format!("{base}/wp-json/tribe/events/v1/");
                assert_eq!(page.header("x-tec-api-root"), root, "{method} {path}");
                assert_eq!(page.header("x-tec-api-origin"), base, "{method} {path}");
                assert_eq!(page.header("link"), link(&server), "{method} {path}");
            }
            let page = client.get(path).await.is(200).text;
            for element in [
                format!("<link rel=\"https://api.w.org/\" href=\"{base}/wp-json/\">"),
                "<meta name=\"tec-api-version\" content=\"v1\">".to_owned(),
                format!("<meta name=\"tec-api-origin\" content=\"{base}\">"),
                format!("<link rel=\"alternate\" href=\"{base}/wp-json/tribe/events/v1/\">"),
            ] {
                assert!(page.contains(&element), "{path} lacks {element}");
            }
        }
        assert_eq!(client.get("").await.is(200).header("x-tec-api-version"), "", "not a page");
    }

    async fn site_index_names_application_passwords(on) {
        let server = on.server(&[]).await;
        let index = server.anonymous().get("~/wp-json/").await.is(200);
        let passwords = &index.body["authentication"]["application-passwords"];
        let page = passwords["endpoints"]["authorization"].as_str().expect("a URL");
        server.anonymous().get(page).await.is(200);
    }

    async fn namespace_argument_of_index(on) {
        let server = on.server(&[]).await;
        let client = server.anonymous();
        for namespace in NAMESPACES {
            let path = format!("~/wp-json/{namespace}");
            let index = client.get(&path).await.is(200);
            let argument = &index.body["routes"][format!("/{namespace}")]["endpoints"][0]["args"]["namespace"];
            assert_eq!((&argument["default"], &argument["enum"]), (&json!(namespace), &json!([namespace])));
            for query in ["", &format!("?namespace={namespace}"), "?namespace=&context=edit"] {
                client.get(&format!("{path}{query}")).await.is(200);
            }
            client.get(&format!("{path}?namespace=wp/v2")).await.is_error(404, "rest_no_route");
        }
    }

    async fn site_index_lists_namespaces_and_routes(on) {
        let server = on.server(&[]).await;
        let client = server.anonymous();
        let index = client.get("~/wp-json/").await.is(200);
        assert_eq!(index.body["namespaces"], json!(NAMESPACES));
        assert_eq!(index.header("link"), link(&server));
        for namespace in NAMESPACES {
            let route = &index.body["routes"][format!("/{namespace}/events")];
            assert_eq!(route["namespace"], namespace);
            assert_eq!(route["methods"], json!(["GET", "POST"]));
            assert_eq!(route["endpoints"][0]["args"]["per_page"]["default"], 10);
            let href = format!("{}/wp-json/{namespace}/events", server.address);
            assert_eq!(route["_links"]["self"][0]["href"], href);
            let item = format!(r"/{namespace}/events/(?P<id>\d+)");
            assert_eq!(index.body["routes"][item]["endpoints"][0]["args"]["id"]["required"], true);
        }
    }

    async fn namespace_index_is_variant_b(on) {
        let server = on.server(&["--variant", "a"]).await;
        let client = server.anonymous();
        for namespace in NAMESPACES {
            let index = client.get(&format!("~/wp-json/{namespace}/")).await.is(200);
            assert_eq!(index.body["namespace"], namespace);
            let routes = index.body["routes"].as_object().expect("routes");
            assert!(routes.keys().all(|route| route.starts_with(&format!("/{namespace}"))), "{routes:?}");
            let arguments = &routes[&format!("/{namespace}/events")]["endpoints"][0]["args"];
            assert!(arguments["starts_after"].is_object(), "only variant B has it");
            let up = format!("{}/wp-json/", server.address);
            assert_eq!(index.body["_links"], json!({"up": [{"href": up}]}));
        }
        let native = client.get("").await.is(200);
        let arguments = &native.body["routes"]["/calendar/events/v1/events"]["endpoints"][0]["args"];
        assert!(arguments["starts_after"].is_null(), "the native index is of the server's variant");
    }

    async fn options_describes_route(on) {
        let server = on.server(&[]).await;
        let client = server.anonymous();
        for path in ["events/5", "events/by-slug/some-slug", "tags", ""] {
            let path = format!("~/wp-json/tribe/events/v1/{path}");
            let response = Response::fetch(client.request("OPTIONS", &path)).await.is(200);
            assert_eq!(response.body["namespace"], "tribe/events/v1", "{path}");
            let methods = response.body["methods"].as_array().expect("a list of methods");
            assert!(methods.contains(&json!("GET")), "{path}");
            assert!(response.body["endpoints"][0]["args"].is_object(), "{path}");
            assert_eq!(response.body["endpoints"][0]["methods"], json!(["GET"]), "{path}");
        }
        for path in ["nothing", "events/x", "events/by-slug/a/b"] {
            let path = format!("~/wp-json/tribe/events/v1/{path}");
            Response::fetch(client.request("OPTIONS", &path)).await.is_error(404, "rest_no_route");
        }
    }

    async fn document_is_native(on) {
        let server = on.server(&["--variant", "a"]).await;
        let client = server.anonymous();
        let native = client.get("/doc").await.is(200);
        let compat = client.get("~/wp-json/tribe/events/v1/doc").await.is(200);
        assert_eq!(compat.body, native.body);
    }

    async fn other_wordpress_apis_are_missing(on) {
        let server = on.server(&[]).await;
        let client = server.anonymous();
        for path in ["~/wp-json/wp/v2/posts", "~/wp-json/tribe/events/v2/events", "~/wp-json/tribe"] {
            client.get(path).await.is_error(404, "rest_no_route");
        }
        client.post("~/wp-json/", json!({})).await.is_error(404, "rest_no_route");
    }
}
