//! Drawings for pictures and pages that carry everything with them: the same shapes as the site's icon sheet, one a meaning.

use domain::change::Verdict;

/// The stone and its gold streak, 24 units square.
pub(crate) const MARK: (&str, &str) = ("M4 2h13l5 5v13l-2 2H6l-4-4V4Z", "M6.5 15.8 16.6 7l1.6 1.2-9.6 9.5Z");

/// A verdict's drawing, 16 units square; what may be luck is outlined.
pub(crate) fn verdict(verdict: Verdict, unproven: bool) -> &'static str {
    match verdict {
        Verdict::Better if unproven => {
            "<g fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"><circle cx=\"8\" cy=\"8\" r=\"6.8\"/><path d=\"m4.7 8.2 2.3 2.2 4.3-4.8\"/></g>"
        }
        Verdict::Worse if unproven => {
            "<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" d=\"m8 1.1 6.9 6.9L8 14.9 1.1 8Z\"/><path d=\"M7.2 4.6v4.2h1.6V4.6Zm0 5.5v1.6h1.6v-1.6Z\"/>"
        }
        Verdict::Better => {
            "<path fill-rule=\"evenodd\" d=\"M8 .4a7.6 7.6 0 1 0 0 15.2A7.6 7.6 0 0 0 8 .4ZM12.3 5.7 7 11.6 3.8 8.6 5 7.3 6.9 9.1 11 4.5Z\"/>"
        }
        Verdict::Worse => {
            "<path fill-rule=\"evenodd\" d=\"m8 0 8 8-8 8-8-8ZM7.1 3.9v5h1.8v-5ZM7.1 10.3v1.8h1.8v-1.8Z\"/>"
        }
        Verdict::Neutral | Verdict::WithinNoise => {
            "<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" d=\"M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2ZM4.8 6.5h6.4M4.8 9.5h6.4\"/>"
        }
        Verdict::Unknown => {
            "<g fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"><circle cx=\"8\" cy=\"8\" r=\"6.8\" stroke-dasharray=\"2.6 1.7\"/><path d=\"M5.9 6.4c0-1.3.9-2.1 2.1-2.1s2.1.7 2.1 1.9c0 1.5-2 1.6-2 3.2\"/></g><path d=\"M7.2 10.6h1.7v1.6H7.2Z\"/>"
        }
        Verdict::NotComparable => {
            "<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" d=\"M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2ZM12.8 3.2 3.2 12.8\"/>"
        }
    }
}
