//! The rate limit by client address.

use crate::{fixtures::get_with, on_both, support::Answer};

on_both! {
    async fn rate_limit_is_429_with_retry_after(on) {
        let server = on.server(&["--rate-limit", "5/s", "--trusted-proxy", "127.0.0.1"]).await;
        let anonymous = server.anonymous();
        let mut refused: Option<Answer> = None;
        for _ in 0..200 {
            let answer = anonymous.get("~/healthz").await;
            if answer.status == 429 {
                refused = Some(answer);
                break;
            }
        }
        let refused = refused.expect("two hundred at once are too many").is_error(429, "rest_too_many_requests");
        let wait: u64 = refused.header("retry-after").parse().expect("seconds");
        assert!((1..=2).contains(&wait), "{wait}");
        assert_ne!(refused.header("x-request-id"), "");
        // Another address is not held up.
        get_with(&anonymous, "~/healthz", &[("x-forwarded-for", "192.0.2.7")]).await.is(200);
        tokio::time::sleep(std::time::Duration::from_secs(wait)).await;
        anonymous.get("~/healthz").await.is(200);
    }
}
