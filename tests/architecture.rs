//! Tests that dependencies between the layers of `src` point downwards only.

use std::{fs, path::Path};

/// Each layer, which is a directory or a file in `src`, and the layers that it may use. `calendar` may use none;
/// `src/lib.rs`, which defines the shared state `Almanac`, and `src/testing.rs` may use all.
const ALLOWED: &str = "
    main:       parse print_error_line run
    commands:   Almanac api auth calendar config demo egress error feeds import listen pages server services store transfer tzdata views webhooks
    server:     Almanac api calendar compat error feeds listen middleware pages views
    compat:     Almanac api auth calendar error extract middleware pages response store views
    pages:      Almanac api auth calendar config demo error extract middleware response store views
    feeds:      Almanac api auth calendar config error extract middleware pages response store views
    api:        auth calendar changes config error extract response services store views webhooks
    webhooks:   Almanac auth calendar changes config egress error store
    changes:    auth calendar error store views
    egress:
    demo:       calendar services store
    transfer:   auth calendar services store
    import:     calendar egress error extract services store
    services:   auth calendar changes error extract store webhooks
    views:      auth calendar error extract response store
    listen:     config middleware
    middleware: Almanac auth calendar config error response store
    auth:       Almanac calendar error extract middleware response store
    extract:    Almanac calendar error
    response:   calendar error store
    error:      calendar response store
    config:     calendar store tzdata
    store:      calendar migrations
    tzdata:     calendar
    calendar:
";

/// Edges against the direction, as file, layer and reason.
const EXCEPTIONS: [(&str, &str, &str); 8] = [
    (
        "src/config.rs",
        "commands",
        "the settings include the options that create an administrator",
    ),
    (
        "src/config/backups.rs",
        "commands",
        "the parser of durations on the command line",
    ),
    (
        "src/config/backups.rs",
        "transfer",
        "the flags are the schedule of backups",
    ),
    (
        "src/config/database.rs",
        "commands",
        "the parser of durations on the command line",
    ),
    (
        "src/middleware/allowed_methods.rs",
        "api",
        "the methods of a path come from the declared operations",
    ),
    (
        "src/middleware/allowed_methods.rs",
        "views",
        "the root path of the interface",
    ),
    (
        "src/middleware/idempotency.rs",
        "extract",
        "a body is read with the limit of the extractors",
    ),
    (
        "src/middleware/negotiation.rs",
        "api",
        "the media types of a path come from the declared operations",
    ),
];

/// The only files outside `src/compat` that may mention it.
const MAY_MENTION_COMPAT: [&str; 2] = ["src/lib.rs", "src/server.rs"];

struct Source {
    /// Relative to the repository.
    path: String,
    /// Without comments, strings and test modules. Line breaks are kept.
    code: String,
}

impl Source {
    fn layer(&self) -> &str {
        let path = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        path.split('/').next().unwrap_or(path)
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.code[..offset].matches('\n').count()
    }
}

#[test]
fn dependencies_point_downwards() {
    let mut unused: Vec<_> = EXCEPTIONS.iter().map(|(path, layer, _)| (*path, *layer)).collect();
    let mut violations = Vec::new();
    for source in sources() {
        let layer = source.layer();
        if matches!(layer, "lib" | "testing") {
            continue;
        }
        let allowed = allowed(layer);
        for (offset, target) in references(&source.code) {
            if target == layer || allowed.contains(&target) {
                continue;
            }
            let edge = (source.path.as_str(), target);
            unused.retain(|exception| *exception != edge);
            if !EXCEPTIONS.iter().any(|(path, layer, _)| (*path, *layer) == edge) {
                violations.push(format!("{}:{}: {layer} -> {target}", source.path, source.line(offset)));
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    assert!(unused.is_empty(), "exceptions that are not needed: {unused:?}");
}

#[test]
fn compat_wraps_the_rest_from_outside() {
    let violations: Vec<String> = sources()
        .iter()
        .filter(|source| source.layer() != "compat" && !MAY_MENTION_COMPAT.contains(&source.path.as_str()))
        .flat_map(|source| {
            let found = identifiers(&source.code).filter(|(_, name)| *name == "compat");
            found.map(|(offset, _)| format!("{}:{}: compat", source.path, source.line(offset)))
        })
        .collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn references_include_nested_use_trees() {
    let code = code_of(
        "use crate::{\n    api, // crate::compat\n    store::{self, entity::{event, venue}},\n    views::ROOT as R,\n};\n\
         fn f() { crate::auth::identify(\"crate::pages\") } /* crate::demo */\n\
         #[cfg(test)]\nmod tests { use crate::services; }\n\
         use crate::Almanac;\n",
    );
    let found: Vec<&str> = references(&code).into_iter().map(|(_, layer)| layer).collect();
    assert_eq!(found, ["api", "store", "views", "auth", "Almanac"]);
}

/// The layers that the layer may use.
fn allowed(layer: &str) -> Vec<&'static str> {
    let mut rows = ALLOWED.lines().filter_map(|row| row.split_once(':'));
    let row = rows.find(|(name, _)| name.trim() == layer);
    let (_, allowed) = row.unwrap_or_else(|| panic!("the table lacks src/{layer}"));
    allowed.split_whitespace().collect()
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut directories = vec![root.join("src")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let relative = path.strip_prefix(root).expect("a path below the root");
                sources.push(Source {
                    path: relative.to_str().expect("UTF-8").replace('\\', "/"),
                    code: code_of(&fs::read_to_string(&path).expect("UTF-8")),
                });
            }
        }
    }
    assert!(sources.len() > 100, "only {} source files", sources.len());
    sources
}

/// Blanks out comments, strings and test modules.
fn code_of(source: &str) -> String {
    let code = without_comments(source);
    let mut kept = String::new();
    let mut rest = code.as_str();
    while let Some(start) = rest.find("#[cfg(test)]\nmod ") {
        let (before, module) = rest.split_at(start);
        let length = module
            .find(['{', ';'])
            .map_or(module.len(), |body| block_end(module, body));
        kept.push_str(before);
        kept.extend(module[..length].matches('\n'));
        rest = &module[length..];
    }
    kept + rest
}

/// The end of the block that begins at `start`, or of the statement if there is no block.
fn block_end(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (offset, character) in code[start..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return start + offset + 1;
        }
    }
    code.len()
}

fn without_comments(source: &str) -> String {
    let mut kept = String::new();
    let mut rest = source;
    while let Some(character) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            raw.find("\"#").map_or(rest.len(), |end| end + 5)
        } else if rest.starts_with("'\"'") || rest.starts_with("'{'") || rest.starts_with("'}'") {
            3
        } else if character == '"' {
            string_length(rest)
        } else {
            kept.push(character);
            rest = &rest[character.len_utf8()..];
            continue;
        };
        kept.extend(rest[..skipped].matches('\n'));
        rest = &rest[skipped..];
    }
    kept
}

/// The length of the string literal at the start of `source`, with its quotes.
fn string_length(source: &str) -> usize {
    let mut is_escaped = false;
    for (offset, character) in source.char_indices().skip(1) {
        match character {
            '"' if !is_escaped => return offset + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    source.len()
}

/// The offsets and first segments of all paths that begin with `crate::` or, in the binary, `almanac::`.
fn references(code: &str) -> Vec<(usize, &str)> {
    let mut references = Vec::new();
    for (offset, root) in identifiers(code) {
        let after = offset + root.len();
        let is_root = matches!(root, "crate" | "almanac");
        if let Some(path) = code[after..].strip_prefix("::").filter(|_| is_root) {
            first_segments(path, code.len() - path.len(), &mut references);
        }
    }
    references
}

/// Adds the identifier that the path begins with, or those of each branch of a use-tree.
fn first_segments<'a>(path: &'a str, start: usize, segments: &mut Vec<(usize, &'a str)>) {
    if !path.starts_with('{') {
        segments.extend(identifiers(path).next().map(|(offset, name)| (start + offset, name)));
        return;
    }
    let tree = &path[..block_end(path, 0)];
    let mut depth = 0;
    let mut is_first = false;
    let mut offset = 0;
    while let Some(character) = tree[offset..].chars().next() {
        let mut length = character.len_utf8();
        match character {
            '{' => {
                depth += 1;
                is_first = depth == 1;
            }
            '}' => depth -= 1,
            ',' if depth == 1 => is_first = true,
            _ if is_first && !character.is_whitespace() => {
                is_first = false;
                if let Some((_, name)) = identifiers(&tree[offset..]).next() {
                    segments.push((start + offset, name));
                    length = name.len();
                }
            }
            _ => {}
        }
        offset += length;
    }
}

/// All identifiers and keywords with their offsets.
fn identifiers(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    code.split(move |character| !is_part(character))
        .filter(|part| !part.is_empty())
        .map(move |part| (part.as_ptr() as usize - code.as_ptr() as usize, part))
}
