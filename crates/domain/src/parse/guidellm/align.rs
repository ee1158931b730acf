//! GuideLLM 0.4 to 0.7 write the header of their table for the first load point only. A later point with requests of a
//! kind that the first had none of (cut short, failed) has more cells, and everything behind them stands too far right.
//!
//! Cells are matched by what must hold between them: input and output tokens add up to the total, and rates are near
//! requests per second times tokens per request. What cannot be matched is left out, and said so.

use super::super::table::Row;

/// Statistics of one kind of request: mean, median, standard deviation, percentiles.
const GROUP: usize = 4;
/// GuideLLM's rates cover another window than its duration; the next cell is further off than this.
const RATE_TOLERANCE: f64 = 0.25;
/// More groups than this too many, and the row is of another table.
const MAX_SHIFT: usize = 16 * GROUP;

/// For each column of the header, the row's cell.
pub(super) struct Aligned<'a> {
    pub(super) cells: Vec<Option<&'a str>>,
    /// What was done, where the header does not fit the row.
    pub(super) doubt: Option<String>,
}

/// Matches a row with the three header rows.
pub(super) fn align<'a>(header: &[Row], row: &'a Row) -> Aligned<'a> {
    let columns = header[0].cells.len();
    let cell = |at: usize| row.cells.get(at).map(String::as_str);
    let plain = || (0..columns).map(cell).collect();
    let extra = row.cells.len().saturating_sub(columns);
    let place = Place { header, row };
    let is_plain = place.adds_up(0).unwrap_or(true);
    if row.cells.len() == columns && is_plain {
        return Aligned { cells: plain(), doubt: None };
    }
    let statistics = place.column("Request Latency", "Successful Sec", "Mean").unwrap_or(columns);
    let state = header[0].cells.iter().position(|group| group == "Scheduler State").unwrap_or(columns);
    let counts = (0..=extra.min(MAX_SHIFT)).step_by(GROUP).find(|shift| place.adds_up(*shift) == Some(true));
    let behind = |shift: Option<usize>, at: usize| shift.and_then(|shift| cell(at + shift));
    let rate = |name, from: usize| place.rate(name, counts?, (from..=extra.min(MAX_SHIFT)).step_by(GROUP));
    let output = counts.and_then(|from| rate("Successful Output Tokens", from));
    let total = output.and_then(|from| rate("Successful Total Tokens", from));
    let cells = (0..columns).map(|at| {
        let (group, name) = (header[0].cells[at].as_str(), place.name(at));
        match group {
            _ if at < statistics => cell(at),
            // The first group of all belongs to successful requests, which every point has.
            "Request Latency" if name == "Successful Sec" => cell(at),
            "Token Metrics" => behind(counts, at),
            "Token Throughput" if name.starts_with("Successful Output") => behind(output, at),
            "Token Throughput" if name.starts_with("Successful Total") => behind(total, at),
            _ if at >= state => row.cells.len().checked_sub(columns - at).and_then(cell),
            // In front of counts that are in their place nothing is out of it.
            "Token Throughput" | "Token Streaming" => None,
            group if group.starts_with("Text") || group.starts_with("Image") => None,
            _ if counts == Some(0) => cell(at),
            _ => None,
        }
    });
    let cells = cells.collect();
    let lost = counts != Some(0) || output.is_none() || total.is_none();
    let doubt = format!(
        "the row has {} cells, the header {columns}: GuideLLM writes the header for its first point only; cells \
         were matched by the tokens that must add up{}",
        row.cells.len(),
        if lost { ", and what could not be matched is left out" } else { "" }
    );
    Aligned { cells, doubt: Some(doubt) }
}

struct Place<'a> {
    header: &'a [Row],
    row: &'a Row,
}

impl Place<'_> {
    fn name(&self, at: usize) -> &str {
        self.header[1].cells.get(at).map_or("", String::as_str)
    }

    fn column(&self, group: &str, name: &str, statistic: &str) -> Option<usize> {
        (0..self.header[0].cells.len()).find(|at| {
            let is = |level: usize, text: &str| self.header[level].cells.get(*at).is_some_and(|cell| cell == text);
            is(0, group) && is(1, name) && is(2, statistic)
        })
    }

    fn figure(&self, at: Option<usize>, shift: usize) -> Option<f64> {
        self.row.cells.get(at? + shift)?.parse().ok()
    }

    fn mean_tokens(&self, name: &str, shift: usize) -> Option<f64> {
        self.figure(self.column("Token Metrics", name, "Mean"), shift)
    }

    /// Whether input and output tokens per request make up the total; none where the table does not have all three.
    fn adds_up(&self, shift: usize) -> Option<bool> {
        let [input, output, total] = ["Successful Input Tokens", "Successful Output Tokens", "Successful Total Tokens"]
            .map(|name| self.mean_tokens(name, shift));
        let total = total?;
        Some((input? + output? - total).abs() <= 1e-6 * total.abs())
    }

    /// How far right the rate of such tokens stands: the nearest to what requests per second and tokens per request make.
    fn rate(&self, name: &str, counts: usize, shifts: impl Iterator<Item = usize>) -> Option<usize> {
        let requests = self.figure(self.column("Server Throughput", "Successful Requests/Sec", "Mean"), 0);
        let expected = requests? * self.mean_tokens(name, counts)?;
        let at = self.column("Token Throughput", &format!("{name}/Sec"), "Mean");
        let off = |shift: usize| Some((self.figure(at, shift)? / expected - 1.0).abs());
        let near = shifts.filter_map(|shift| Some((shift, off(shift)?))).filter(|(_, off)| *off <= RATE_TOLERANCE);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(shift, _)| shift)
    }
}
