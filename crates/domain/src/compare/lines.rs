//! A command against another, line by line: what was added, what was dropped. Spelling and order make no difference.

use serde::Serialize;

use crate::command::Command;
use crate::command::diff::{Args, differs};
use crate::report::launchable;
use crate::study::Variant;

/// A line of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// For a POSIX shell, without the backslash that joins it to the next.
    pub text: String,
    /// Whose it is.
    pub mark: Mark,
}

/// Whose line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Both have it.
    Same,
    /// The base has not.
    Added,
    /// Only the base has.
    Removed,
}

/// The command of a side with what the base alone has; none where engine or model is not known.
pub(super) fn lines(base: &Variant, side: &Variant) -> Option<Vec<Line>> {
    if !launchable(&side.engine, &side.model) {
        return None;
    }
    let (ours, theirs) = (Command::lines(side), Command::lines(base));
    let known = launchable(&base.engine, &base.model);
    let line = |text: &String, mark| Line { text: text.clone(), mark };
    let mut all = Vec::new();
    let head = ours.first()?;
    let other_head = theirs.first().filter(|other| known && *other != head);
    all.extend(other_head.map(|other| line(other, Mark::Removed)));
    all.push(line(head, if other_head.is_some() { Mark::Added } else { Mark::Same }));
    let added = ours[1..].iter().zip(differs(side.into(), base.into()));
    all.extend(added.map(|(text, new)| line(text, if new && known { Mark::Added } else { Mark::Same })));
    let removed = theirs[1..].iter().zip(differs(Args::from(base), Args::from(side)));
    all.extend(removed.filter(|(_, gone)| *gone && known).map(|(text, _)| line(text, Mark::Removed)));
    Some(all)
}
