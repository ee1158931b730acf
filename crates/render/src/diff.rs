//! Two texts line by line: what was added, what was removed, and some lines around it.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// So many equal lines stand around a change.
const AROUND: usize = 3;
/// Two long texts without a line in common take long to match; after this the rest counts as replaced.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffLine {
    /// In both.
    Same {
        /// Its number in the old text, from 1.
        old: usize,
        /// Its number in the new text.
        new: usize,
        /// Without its end.
        text: String,
    },
    /// In the old text alone.
    Removed {
        /// Its number there.
        old: usize,
        /// Without its end.
        text: String,
    },
    /// In the new text alone.
    Added {
        /// Its number there.
        new: usize,
        /// Without its end.
        text: String,
    },
    /// So many lines in both, far from any change.
    LeftOut(usize),
}

/// Compares two texts. Equal texts give nothing.
#[must_use]
pub fn diff(old: &str, new: &str) -> Vec<DiffLine> {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let changes: Vec<_> = diff.iter_all_changes().collect();
    let changed: Vec<usize> =
        (0..).zip(&changes).filter(|(_, one)| one.tag() != ChangeTag::Equal).map(|(at, _)| at).collect();
    let mut lines = Vec::new();
    if changed.is_empty() {
        return lines;
    }
    let mut left_out = 0;
    for (at, change) in changes.iter().enumerate() {
        // Changes stand in order: the nearest are the last one before and the first one from here.
        let next = changed.partition_point(|place| *place < at);
        let near = |place: Option<&usize>| place.is_some_and(|place| place.abs_diff(at) <= AROUND);
        if !near(changed.get(next)) && !near(next.checked_sub(1).and_then(|last| changed.get(last))) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            lines.push(DiffLine::LeftOut(left_out));
            left_out = 0;
        }
        let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
        let number = |at: Option<usize>| at.map_or(0, |at| at + 1);
        let (old, new) = (number(change.old_index()), number(change.new_index()));
        lines.push(match change.tag() {
            ChangeTag::Equal => DiffLine::Same { old, new, text },
            ChangeTag::Delete => DiffLine::Removed { old, text },
            ChangeTag::Insert => DiffLine::Added { new, text },
        });
    }
    if left_out > 0 {
        lines.push(DiffLine::LeftOut(left_out));
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(old: &str, new: &str) -> String {
        let line = |line: DiffLine| match line {
            DiffLine::Same { old, new, text } => format!("{old}/{new} {text}"),
            DiffLine::Removed { old, text } => format!("-{old} {text}"),
            DiffLine::Added { new, text } => format!("+{new} {text}"),
            DiffLine::LeftOut(count) => format!("…{count}"),
        };
        diff(old, new).into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_change_stands_between_the_lines_around_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni";
        assert_eq!(
            shown(old, &old.replace('e', "E\nE2")),
            "…1\n2/2 b\n3/3 c\n4/4 d\n-5 e\n+5 E\n+6 E2\n6/7 f\n7/8 g\n8/9 h\n…1"
        );
        assert_eq!(shown("", "日本語\n"), "+1 日本語");
        assert_eq!(shown("a\n", ""), "-1 a");
        assert_eq!(shown(old, old), "");
        assert_eq!(shown("", ""), "");
        assert_eq!(shown("<script>", "<b>"), "-1 <script>\n+1 <b>", "what is in it is text, escaped where it is shown");
    }

    #[test]
    fn long_texts_that_share_nothing_are_compared_in_time() {
        let text = |word: &str| (0..40_000).map(|at| format!("{word}{at}\n")).collect::<String>();
        let started = std::time::Instant::now();
        let lines = diff(&text("a"), &text("b"));
        assert_eq!(lines.len(), 80_000);
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_a_comparison(old in "[a-c\n]{0,40}", new in "[a-c\n]{0,40}") {
            prop_assume!(old != new);
            let (mut before, mut after) = (Vec::new(), Vec::new());
            let mut left_out = 0;
            for line in diff(&old, &new) {
                match line {
                    DiffLine::Same { text, .. } => {
                        before.push(text.clone());
                        after.push(text);
                    }
                    DiffLine::Removed { text, .. } => before.push(text),
                    DiffLine::Added { text, .. } => after.push(text),
                    DiffLine::LeftOut(count) => left_out += count,
                }
            }
            prop_assert_eq!(before.len() + left_out, old.lines().count());
            prop_assert_eq!(after.len() + left_out, new.lines().count());
            if left_out == 0 {
                prop_assert_eq!(before.join("\n"), old.lines().collect::<Vec<_>>().join("\n"));
                prop_assert_eq!(after.join("\n"), new.lines().collect::<Vec<_>>().join("\n"));
            }
        }
    }
}
