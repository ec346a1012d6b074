//! Events for tests, and a reader of iCalendar.

use serde_json::{Value, json};

use crate::support::{Client, Response};

/// Creates an event with these fields, by default tomorrow from nine to ten, and returns its ID.
pub(crate) async fn create_event(client: &Client, title: &str, fields: Value) -> i64 {
    let mut event = json!({"title": title, "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
    for (name, value) in fields.as_object().expect("an object") {
        event[name] = value.clone();
    }
    client.create_id("/events", event).await
}

/// A GET with more headers.
pub(crate) async fn get_with(client: &Client, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = client.request("GET", path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Response::fetch(request).await
}

/// A component of a calendar, with its properties as name with parameters and value, and the components in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Component {
    pub name: String,
    pub properties: Vec<(String, String)>,
    pub components: Vec<Component>,
}

impl Component {
    /// Reads a calendar. Fails unless all lines are well-formed.
    pub(crate) fn calendar(response: &Response) -> Self {
        let text = &response.text;
        assert!(text.ends_with("END:VCALENDAR\r\n"), "{text}");
        let mut open = vec![Self::default()];
        for line in text.split_terminator("\r\n") {
            assert!(line.len() <= 75 && !line.contains(['\r', '\n']), "{line}");
        }
        for line in text.replace("\r\n ", "").split_terminator("\r\n") {
            let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("{line}"));
            match name {
                "BEGIN" => open.push(Self {
                    name: value.to_owned(),
                    ..Self::default()
                }),
                "END" => {
                    let component = open.pop().expect("it has begun");
                    assert_eq!(component.name, value);
                    open.last_mut().expect("a parent").components.push(component);
                }
                _ => {
                    let component = open.last_mut().expect("a component");
                    component.properties.push((name.to_owned(), value.to_owned()));
                }
            }
        }
        assert_eq!(open.len(), 1);
        let mut calendars = open.remove(0).components;
        assert_eq!(calendars.len(), 1);
        calendars.remove(0)
    }

    /// The components with this name.
    pub(crate) fn all(&self, name: &str) -> Vec<&Self> {
        let components = self.components.iter();
        components.filter(|component| component.name == name).collect()
    }

    /// The value of the property with this name and these parameters. Empty if there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        let property = self.properties.iter().find(|(other, _)| other == name);
        property.map_or("", |(_, value)| value)
    }
}

/// The titles of the events of a calendar, in its order.
pub(crate) fn summaries(response: &Response) -> Vec<String> {
    let calendar = Component::calendar(response);
    let events = calendar.all("VEVENT");
    events.iter().map(|event| event.get("SUMMARY").to_owned()).collect()
}
