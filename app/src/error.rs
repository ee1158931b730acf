//! What can go wrong for a reader, by what the reader can do about it.

use std::{
    fmt,
    hash::{BuildHasher, Hasher, RandomState},
};

use http::StatusCode;
use store::StoreError;

/// Why a page or an action could not be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppError {
    /// There is no such thing.
    NotFound,
    /// The address or form says something that cannot be understood: where, and what was expected.
    Invalid(String),
    /// Not for this reader.
    Denied,
    /// Somebody else changed it meanwhile.
    Conflict,
    /// Our fault; the log has the cause under this number.
    Internal(Incident),
}

impl AppError {
    /// The answer's status.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::Denied => StatusCode::FORBIDDEN,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What a failed call of the store means for a reader.
    #[must_use]
    pub fn from_store(error: &StoreError) -> Self {
        match error {
            StoreError::NotFound { .. } => Self::NotFound,
            StoreError::Conflict(_) => Self::Conflict,
            StoreError::Unavailable { .. } | StoreError::Corrupt { .. } => Self::internal(error),
        }
    }

    /// Writes the cause to the log, once, and keeps only the number that ties the page to it.
    #[must_use]
    pub fn internal(cause: &dyn fmt::Display) -> Self {
        let incident = Incident::new();
        tracing::error!(%incident, "{cause}");
        Self::Internal(incident)
    }
}

/// A random number that a reader can tell the operator and the operator can find in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident(String);

impl Incident {
    /// A fresh one.
    #[must_use]
    pub fn new() -> Self {
        // The standard library seeds each RandomState differently: enough for a number nobody has to guess.
        Self(format!("{:08x}", RandomState::new().build_hasher().finish() >> 32))
    }
}

impl Default for Incident {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Incident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
