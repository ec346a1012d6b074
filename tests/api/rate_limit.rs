//! The rate limit by client address.

use crate::{fixtures::get_with, on_both_databases, support::Response};

on_both_databases! {
    async fn rate_limit_is_429_with_retry_after(database) {
        let server = database.server(&["--rate-limit", "5/s", "--trusted-proxy", "127.0.0.1"]).await;
        let anonymous = server.anonymous();
        let mut rejected: Option<Response> = None;
        for _ in 0..200 {
            let response = anonymous.get("~/healthz").await;
            if response.status == 429 {
                rejected = Some(response);
                break;
            }
        }
        let rejected = rejected.expect("200 requests exceed the limit").is_error(429, "rest_too_many_requests");
        let wait: u64 = rejected.header("retry-after").parse().expect("seconds");
        assert!((1..=2).contains(&wait), "{wait}");
        assert_ne!(rejected.header("x-request-id"), "");
        // Other addresses are not limited.
        get_with(&anonymous, "~/healthz", &[("x-forwarded-for", "192.0.2.7")]).await.is(200);
        tokio::time::sleep(std::time::Duration::from_secs(wait)).await;
        anonymous.get("~/healthz").await.is(200);
    }

    async fn ipv6_network_is_one_client(database) {
        let server = database.server(&["--rate-limit", "5/s", "--trusted-proxy", "127.0.0.1"]).await;
        let anonymous = server.anonymous();
        let mut statuses = Vec::new();
        for number in 0..200 {
            let address = format!("2001:db8:0:1::{number:x}");
            let headers = [("x-forwarded-for", address.as_str())];
            statuses.push(get_with(&anonymous, "~/healthz", &headers).await.status.as_u16());
        }
        assert!(statuses.contains(&429), "{statuses:?}");
        get_with(&anonymous, "~/healthz", &[("x-forwarded-for", "2001:db8:0:2::1")]).await.is(200);
    }
}
