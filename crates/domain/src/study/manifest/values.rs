//! Values that have a form of their own: names, environments, texts in two languages.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor};

use crate::command::is_env_name;
use crate::study::Localized;

/// What something is called by its maker: one line with something on it.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Name(pub(crate) String);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("a name cannot be empty".to_owned());
        }
        match text.chars().find(|c| c.is_control()) {
            Some(c) => Err(format!("a name cannot hold the control character U+{:04X}", u32::from(c))),
            None => Ok(Self(text)),
        }
    }
}

/// Environment of a variant. Names are what a shell takes as names: they stand unquoted in the printed command.
#[derive(Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>")]
pub(crate) struct Env(pub(crate) BTreeMap<String, String>);

impl TryFrom<BTreeMap<String, String>> for Env {
    type Error = String;

    fn try_from(env: BTreeMap<String, String>) -> Result<Self, String> {
        if let Some(name) = env.keys().find(|name| !is_env_name(name)) {
            return Err(format!(
                "\"{name}\" is no name of an environment variable: letters, digits and _, not first a digit"
            ));
        }
        if let Some((name, _)) = env.iter().find(|(_, value)| value.contains('\0')) {
            return Err(format!("the value of {name} holds the character U+0000, which no environment can"));
        }
        Ok(Self(env))
    }
}

/// `"text"` for both languages, or `{ ja = "…", en = "…" }`.
pub(crate) struct Text(pub(crate) Localized);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a table with the keys `ja` and `en`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
                storable(text)?;
                Ok(Text(Localized::same(text)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
                let mut text = Localized::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "ja" => text.ja = Some(map.next_value()?),
                        "en" => text.en = Some(map.next_value()?),
                        other => return Err(de::Error::unknown_field(other, &["ja", "en"])),
                    }
                }
                if text.is_empty() {
                    return Err(de::Error::custom("a text needs at least one of `ja` and `en`"));
                }
                for text in text.ja.iter().chain(&text.en) {
                    storable(text)?;
                }
                Ok(Text(text))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A text says something, and PostgreSQL keeps every character but one.
fn storable<E: de::Error>(text: &str) -> Result<(), E> {
    if text.trim().is_empty() {
        return Err(E::custom("a text cannot be empty; leave it out"));
    }
    if text.contains('\0') { Err(E::custom("a text cannot hold the character U+0000")) } else { Ok(()) }
}
