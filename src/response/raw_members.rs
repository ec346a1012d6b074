//! RawMembers of a JSON object, whose values are not parsed.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::{RawValue, to_raw_value};

/// The members of an object, in their order. Names must not contain escapes.
pub(crate) struct RawMembers<'a>(Vec<(&'a str, Cow<'a, RawValue>)>);

impl<'a> RawMembers<'a> {
    /// Removes members whose names do not fulfil the condition.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.0.retain(|(name, _)| is_kept(name));
    }

    /// The value of a member; none if the object has no such member.
    pub(crate) fn value_mut(&mut self, name: &str) -> Option<&mut Cow<'a, RawValue>> {
        let mut members = self.0.iter_mut();
        members.find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    /// Replaces the value of a member, or appends the member.
    pub(crate) fn set(&mut self, name: &'a str, value: &impl Serialize) -> serde_json::Result<()> {
        let value = Cow::Owned(to_raw_value(value)?);
        match self.value_mut(name) {
            Some(old) => *old = value,
            None => self.0.push((name, value)),
        }
        Ok(())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = RawMembers<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(map.size_hint().unwrap_or_default());
                while let Some((name, value)) = map.next_entry::<_, &RawValue>()? {
                    members.push((name, Cow::Borrowed(value)));
                }
                Ok(RawMembers(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

impl Serialize for RawMembers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_keeps_the_place_of_a_member() {
        let mut members: RawMembers<'_> = serde_json::from_str(r#"{"a":1.50,"b":[2],"c":null}"#).expect("JSON");
        members.set("b", &[3, 4]).expect("JSON");
        members.set("d", &"e").expect("JSON");
        members.retain(|name| name != "c");
        let text = serde_json::to_string(&members).expect("JSON");
        assert_eq!(text, r#"{"a":1.50,"b":[3,4],"d":"e"}"#);
    }
}
