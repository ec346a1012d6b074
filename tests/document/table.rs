//! The interface in short: a table of all operations, for reviewers. A parameter that is added, a default that is
//! changed or a status that is gone is one line of a diff.

use serde_json::Value;

use super::{Operation, VARIANTS, english, items, members, named, operation, operations, text};

/// The width of the column that says what a line is about.
const WIDTH: usize = 9;

/// All operations by their names, with what the two variants have in common, and marks where they differ.
pub fn table() -> String {
    let documents = VARIANTS.map(english);
    let [in_a, in_b] = documents.each_ref().map(|document| {
        let mut operations: Vec<_> = operations(document);
        operations.sort_by_key(Operation::id);
        operations
    });
    let [names_a, names_b] = [&in_a, &in_b].map(|operations| {
        let names = operations.iter().map(Operation::id);
        names.collect::<Vec<_>>()
    });
    assert_eq!(names_a, names_b, "both variants have the same operations");
    let blocks = names_b.into_iter().map(|id| {
        let [in_a, in_b] = documents.each_ref().map(|document| {
            let operation = operation(document, id);
            lines(document, &operation)
        });
        side_by_side(&in_a, &in_b)
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// The lines of one operation in one variant.
fn lines(document: &Value, operation: &Operation<'_>) -> Vec<String> {
    let method = operation.method.to_uppercase();
    let mut lines = vec![format!("{} {method} {}", operation.id(), operation.path)];
    let mut line = |about: &str, what: &str| {
        let line = format!("    {about:<WIDTH$} {what}");
        lines.push(line.trim_end().to_owned());
    };
    for parameter in items(&operation.value["parameters"]) {
        let parameter = named(document, parameter);
        let said = format!("{} {}", text(parameter, "name"), said(document, &parameter["schema"]));
        line(text(parameter, "in"), &said);
    }
    if !operation.body().is_empty() {
        line("body", operation.body());
    }
    let by = items(&operation.value["security"]).map(|by| match members(by).next() {
        Some((scheme, _)) => scheme.as_str(),
        None => "anonymous",
    });
    line("as", &by.collect::<Vec<_>>().join(" "));
    let mut failures = Vec::new();
    for (status, response) in members(&operation.value["responses"]) {
        let schema = &response["content"]["application/json"]["schema"];
        match name(schema) {
            "Problem" => failures.push(status.as_str()),
            name => line(status, name),
        }
    }
    line("Problem", &failures.join(" "));
    lines
}

/// Lines that are in one variant alone are marked with its letter.
fn side_by_side(in_a: &[String], in_b: &[String]) -> String {
    let mut block = String::new();
    let mut push = |line: &str, mark: &str| {
        block += line;
        block += mark;
        block.push('\n');
    };
    let mut rest = in_a.iter().peekable();
    for line in in_b {
        while let Some(other) = rest.next_if(|other| !in_b.contains(other)) {
            push(other, "  (variant A)");
        }
        if rest.next_if_eq(&line).is_some() {
            push(line, "");
        } else {
            push(line, "  (variant B)");
        }
    }
    for line in rest {
        push(line, "  (variant A)");
    }
    block
}

/// What a schema says of a value, in one line.
fn said(document: &Value, schema: &Value) -> String {
    let named = named(document, schema);
    let mut said = vec![match text(named, "type") {
        "array" => format!("[{}]", text(&schema["items"], "type")),
        other => other.to_owned(),
    }];
    let bounds = ["minimum", "maximum", "maxLength", "maxItems", "default"];
    for bound in bounds {
        if let Some(value) = schema.get(bound).or_else(|| named.get(bound)) {
            said.push(format!("{bound}={value}"));
        }
    }
    if let Some(values) = named.get("enum") {
        let values: Vec<_> = items(values).map(Value::to_string).collect();
        said.push(values.join("|"));
    }
    said.join(" ")
}

/// The name of the schema that is referred to, or the type.
fn name(schema: &Value) -> &str {
    match schema["$ref"].as_str() {
        Some(reference) => reference.rsplit('/').next().unwrap_or_default(),
        None => text(schema, "type"),
    }
}
