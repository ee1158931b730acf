//! Identities. Each is its own type, so that a profile cannot be looked up by a variant's id.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the id as it was written.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.to_owned())
            }
        }
    };
}

id!(
    /// A study's slug: its name in URLs and on the command line.
    StudySlug
);
id!(
    /// A profile's id, unique in its study.
    ProfileId
);
id!(
    /// A variant's id, unique in its study.
    VariantId
);
id!(
    /// A step's id, unique in its study.
    StepId
);
id!(
    /// A run's id, unique everywhere: it follows from study, variant, profile, raw output and place in it.
    RunId
);
id!(
    /// A plan's id, unique everywhere.
    PlanId
);
id!(
    /// A job's id, unique everywhere: it follows from its plan, variant, profile and repeat.
    JobId
);
id!(
    /// An agent's id, unique everywhere.
    AgentId
);

/// Whether `slug` can stand in a URL and in a file name: lower-case letters, digits, `.`, `-` and `_`, starting with a
/// letter or digit, at most 100 bytes.
pub fn is_slug(slug: &str) -> bool {
    let mut bytes = slug.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    first && slug.len() <= 100 && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-_".contains(&b))
}
