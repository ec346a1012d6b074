//! Statements with literal limits on the number of rows.

use std::fmt::{self, Write};

use sea_orm::{
    DbBackend, Statement, Value, Values,
    sea_query::{PostgresQueryBuilder, QueryBuilder, SelectStatement, SqlWriter},
};

/// Builds a statement for a page of a list that an index has in its order.
///
/// PostgreSQL uses a generic plan only if its estimated cost is not above that of custom plans. If the limit is a
/// parameter, the estimate for a generic plan is a tenth of all rows, and each execution is planned again, which takes
/// longer than the execution. Limits are therefore literals, and so is the offset of the first page. Other offsets are
/// parameters, because each literal makes another prepared statement.
pub(super) fn build(backend: DbBackend, select: &SelectStatement) -> Statement {
    if backend != DbBackend::Postgres {
        return backend.build(select);
    }
    let mut statement = Writer::default();
    select.build_collect_into(PostgresQueryBuilder, &mut statement);
    let Writer { text, values } = statement;
    Statement::from_sql_and_values(backend, text, Values(values))
}

/// Collects the text and the parameters of a statement.
#[derive(Default)]
struct Writer {
    text: String,
    values: Vec<Value>,
}

impl SqlWriter for Writer {
    fn push_param<T: QueryBuilder>(&mut self, value: Value, query_builder: &T) {
        let is_first_offset = self.text.ends_with(" OFFSET ") && value == Value::BigUnsigned(Some(0));
        if self.text.ends_with(" LIMIT ") || is_first_offset {
            self.text.push_param(value, query_builder);
            return;
        }
        self.values.push(value);
        let (placeholder, _) = query_builder.placeholder();
        self.text.push_str(placeholder);
        self.text.push_str(&self.values.len().to_string());
    }

    fn as_writer(&mut self) -> &mut dyn Write {
        self
    }
}

impl Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.write_str(text)
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::sea_query::{Expr, ExprTrait, Query};

    use super::*;

    #[test]
    fn limits_and_first_offset_are_literals() {
        for (offset, expected, parameters) in [
            (
                0,
                r#"SELECT "id" FROM "events" WHERE "status" = $1 LIMIT 10 OFFSET 0"#,
                1,
            ),
            (
                20,
                r#"SELECT "id" FROM "events" WHERE "status" = $1 LIMIT 10 OFFSET $2"#,
                2,
            ),
        ] {
            let select = Query::select()
                .column("id")
                .from("events")
                .and_where(Expr::col("status").eq("publish"))
                .limit(10)
                .offset(offset)
                .to_owned();
            let statement = build(DbBackend::Postgres, &select);
            assert_eq!(statement.sql, expected);
            assert_eq!(statement.values.map_or(0, |Values(values)| values.len()), parameters);
        }
    }
}
