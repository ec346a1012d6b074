//! Usage errors, help, and commands that need no database.

use crate::support::program::{program, run, stderr, stdout_lines};

#[test]
fn usage_error_exits_2_with_hint() {
    for (arguments, hint) in [
        (&["serve", "--listen", "nope"][..], "127.0.0.1:8080"),
        (&["serve", "--variant", "c"], "possible values: a, b"),
        (&["serve", "--lang", "fr"], "possible values: en, es"),
        (&["serve", "--timezone", "Mars/Base"], "Europe/Berlin"),
        (&["serve", "--tzdata", "/nowhere"], "can't read /nowhere"),
        (&["serve", "--rate-limit", "often"], "20/s"),
        (&["serve", "--max-per-page", "0"], "1..=1000"),
        (&["serve", "--geoloc-radius-km", "-1"], "0 to 20000"),
        (&["serve", "--recurrence-horizon", "soon"], "24 months"),
        (&["serve", "--change-retention", "soon"], "90d"),
        (&["serve", "--cors-origin", "example"], "https://example.org"),
        (&["serve", "--trusted-proxy", "proxy"], "10.0.0.0/8"),
        (&["serve", "--accent-color", "red"], "#96391f"),
        (&["serve", "--logo", "logo.svg"], "https://example.org/logo.svg"),
        (&["serve", "--security-contact", "ann"], "an email address"),
        (&["serve", "--base-url", "example.org"], "https://calendar.example.org"),
        (&["serve", "--database-url", "mysql://x"], "sqlite:// or postgres://"),
        (&["user", "add", "ann", "--role", "king"], "editor"),
        (&["user", "add", "a:b", "--role", "editor"], "no colon"),
        (&["token", "add", "--user", "ann", "--expires", "soon"], "90d"),
        (&["demo", "--events", "many"], "--events"),
        (&["fly"], "almanac"),
        (&[], "Usage"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(hint), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn invalid_variable_named_in_error() {
    for (variable, flag) in [
        ("ALMANAC_VARIANT", "--variant"),
        ("ALMANAC_DEMO", "--demo"),
        ("ALMANAC_NO_MIGRATE", "--no-migrate"),
        ("ALMANAC_NO_WORDPRESS_COMPAT", "--no-wordpress-compat"),
    ] {
        let output = program(&["serve"])
            .env(variable, "perhaps")
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(flag), "{}", stderr(&output));
    }
}

#[test]
fn help_lists_flags_defaults_and_variables() {
    let help = stdout_lines(&["serve", "--help"]).join("\n");
    for (flag, variable) in [
        ("--listen", "ALMANAC_LISTEN"),
        ("--database-url", "ALMANAC_DATABASE_URL"),
        ("--database-wait", "ALMANAC_DATABASE_WAIT"),
        ("--variant", "ALMANAC_VARIANT"),
        ("--lang", "ALMANAC_LANG"),
        ("--base-url", "ALMANAC_BASE_URL"),
        ("--trusted-proxy", "ALMANAC_TRUSTED_PROXY"),
        ("--proxy-headers", "ALMANAC_PROXY_HEADERS"),
        ("--timezone", "ALMANAC_TIMEZONE"),
        ("--tzdata", "ALMANAC_TZDATA"),
        ("--max-per-page", "ALMANAC_MAX_PER_PAGE"),
        ("--geoloc-radius-km", "ALMANAC_GEOLOC_RADIUS_KM"),
        ("--recurrence-horizon", "ALMANAC_RECURRENCE_HORIZON"),
        ("--change-retention", "ALMANAC_CHANGE_RETENTION"),
        ("--webhook-allow", "ALMANAC_WEBHOOK_ALLOW"),
        ("--webhook-allow-http", "ALMANAC_WEBHOOK_ALLOW_HTTP"),
        ("--cors-origin", "ALMANAC_CORS_ORIGIN"),
        ("--site-name", "ALMANAC_SITE_NAME"),
        ("--accent-color", "ALMANAC_ACCENT_COLOR"),
        ("--logo", "ALMANAC_LOGO"),
        ("--rate-limit", "ALMANAC_RATE_LIMIT"),
        ("--max-connections", "ALMANAC_MAX_CONNECTIONS"),
        ("--no-migrate", "ALMANAC_NO_MIGRATE"),
        ("--demo", "ALMANAC_DEMO"),
    ] {
        assert!(help.contains(flag), "{flag}");
        assert!(help.contains(variable), "{variable}");
    }
    assert!(help.contains("[default: 127.0.0.1:8080]"));
    assert!(help.contains("[default: sqlite://almanac.db]"));
}

#[test]
fn openapi_by_variant_and_language() {
    for variant in ["a", "b"] {
        let english = stdout_lines(&["openapi", "--variant", variant, "--lang", "en"]).join("\n");
        let document: serde_json::Value = serde_json::from_str(&english).expect("JSON");
        assert_eq!(document["openapi"], "3.0.0");
        let spanish = stdout_lines(&["openapi", "--variant", variant, "--lang", "es"]).join("\n");
        assert!(english != spanish, "the languages of variant {variant} differ");
    }
}

#[test]
fn openapi_names_the_given_server() {
    let url = "https://calendar.example.org/almanac";
    let printed = stdout_lines(&["openapi", "--server", url]).join("\n");
    let document: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(document["servers"], serde_json::json!([{"url": url}]));
    for invalid in [
        "calendar.example.org",
        "ftp://example.org",
        "https://example.org/?page=1",
    ] {
        let output = program(&["openapi", "--server", invalid])
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{invalid}");
        assert!(
            stderr(&output).contains("must be a URL such as https://calendar.example.org"),
            "{invalid}"
        );
    }
}

#[test]
fn completions_by_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout_lines(&["completions", shell]).join("\n");
        assert!(script.contains("serve") && script.contains("token"), "{shell}");
    }
}

#[test]
fn invalid_database_url_hides_password() {
    for url in [
        "ann:s3cret@db.example/calendar",
        "mysql://ann:s3cret@db.example/calendar",
        "postgres://ann:s3cret@db.example:port/calendar",
        "postgres://ann:1#s3cret@db.example/calendar",
        "postgres://ann:x/s3cret@db.example/calendar",
        "postgres://ann:s3cret@127.0.0.1:1/calendar",
        "postgres://ann@127.0.0.1:1/calendar?pasword=s3cret",
    ] {
        for output in [
            run(&["user", "list", "--database-url", url]),
            program(&["serve", "--database-wait", "0s"])
                .env("ALMANAC_DATABASE_URL", url)
                .output()
                .expect("the program starts"),
        ] {
            assert!(!output.status.success(), "{url}");
            let shown = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
            assert!(!shown.contains("s3cret"), "{url}: {shown}");
        }
    }
}
