//! Published versions: their list, the form that publishes, what changed between two, and the line on the live report.

mod changes;
mod list;
mod publish;
mod since;

pub use changes::Changes;
pub use list::VersionList;
pub use since::SinceVersion;
