//! The members of a JSON object, whose values are not parsed.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

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
