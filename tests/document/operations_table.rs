//! A compact table of all operations for reviewers: an added parameter, a changed default or a removed status is one
//! line of a diff.

use serde_json::Value;

use super::{Operation, VARIANTS, english, items, members, operation, operations, resolve, text};

/// The width of the labels.
const WIDTH: usize = 9;

/// All operations by ID. Lines that differ by variant are marked.
pub(crate) fn table() -> String {
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
        merge_variants(&in_a, &in_b)
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// The lines of one operation in one variant.
fn lines(document: &Value, operation: &Operation<'_>) -> Vec<String> {
    let method = operation.method.to_uppercase();
    let mut lines = vec![format!("{} {method} {}", operation.id(), operation.path)];
    let mut line = |label: &str, value: &str| {
        let line = format!("    {label:<WIDTH$} {value}");
        lines.push(line.trim_end().to_owned());
    };
    for parameter in items(&operation.value["parameters"]) {
        let parameter = resolve(document, parameter);
        let description = format!(
            "{} {}",
            text(parameter, "name"),
            describe(document, &parameter["schema"])
        );
        line(text(parameter, "in"), &description);
    }
    if !operation.body().is_empty() {
        line("body", operation.body());
    }
    let schemes = items(&operation.value["security"]).map(|scheme| match members(scheme).next() {
        Some((scheme, _)) => scheme.as_str(),
        None => "anonymous",
    });
    line("as", &schemes.collect::<Vec<_>>().join(" "));
    let mut errors = Vec::new();
    for (status, response) in members(&operation.value["responses"]) {
        let schema = &response["content"]["application/json"]["schema"];
        match name(schema) {
            "Problem" => errors.push(status.as_str()),
            name => line(status, name),
        }
    }
    line("Problem", &errors.join(" "));
    lines
}

/// Merges the lines of both variants, and marks those that only one of them has.
fn merge_variants(in_a: &[String], in_b: &[String]) -> String {
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

/// Summarises a schema in one line.
fn describe(document: &Value, schema: &Value) -> String {
    let resolved = resolve(document, schema);
    let mut description = vec![match text(resolved, "type") {
        "array" => format!("[{}]", name(&schema["items"])),
        other => other.to_owned(),
    }];
    let bounds = ["minimum", "maximum", "maxLength", "maxItems", "default"];
    for bound in bounds {
        if let Some(value) = schema.get(bound).or_else(|| resolved.get(bound)) {
            description.push(format!("{bound}={value}"));
        }
    }
    if let Some(values) = resolved.get("enum") {
        let values: Vec<_> = items(values).map(Value::to_string).collect();
        description.push(values.join("|"));
    }
    description.join(" ")
}

/// The name of the referenced schema, or the type.
fn name(schema: &Value) -> &str {
    match schema["$ref"].as_str() {
        Some(reference) => reference.rsplit('/').next().unwrap_or_default(),
        None => text(schema, "type"),
    }
}
