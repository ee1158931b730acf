//! The successful requests of a run, one by one: what percentiles cannot say (how many of them met several limits at
//! once) is counted here.
//!
//! Kept are latencies only, as 32-bit floats (seven digits: a clock's microsecond in ten seconds), and written as one
//! text, so that a run stays one small document.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::metric::Metric;
use crate::metrics::Latency;
use crate::units::Ms;

/// Requests of one run that are kept. A request is 16 bytes of a run's document, which is read whenever its study is shown:
/// 160 kB at most beside some 3 kB of figures. Ten times the requests of a usual profile; of a longer run none are kept,
/// since some of them would give a goodput that looks exact and is not.
pub const MAX_REQUESTS: usize = 10_000;

/// What a tool says about one successful request.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// From its start to its first token.
    pub ttft: Option<Ms>,
    /// Decode time per token after the first, where the tool says it; else it follows from the others.
    pub tpot: Option<Ms>,
    /// From its start to its end.
    pub e2el: Option<Ms>,
    /// Generated tokens.
    pub tokens: Option<f64>,
}

/// What is kept of one request. In a latency that was measured, none is an answer too: a request without a token has no
/// TTFT (and did not keep a limit of it), one of a single token has no TPOT (and broke none).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// Time to first token.
    pub ttft: Option<Ms>,
    /// (E2EL − TTFT) / (tokens − 1).
    pub tpot: Option<Ms>,
    /// End-to-end latency.
    pub e2el: Option<Ms>,
}

/// All successful requests of a run, in the order of the output. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Requests(Arc<[Row]>);

/// In the order of [`COLUMNS`]; NaN for none. A column without a figure was not measured.
type Row = [f32; COLUMNS.len()];
const COLUMNS: [Latency; 3] = [Latency::Ttft, Latency::Tpot, Latency::E2el];
/// The first byte of the text that they are kept as.
const VERSION: u8 = 1;

impl Requests {
    /// Keeps what was measured of every request: a latency that one of them lacks is not kept of any. None where nothing is
    /// left, or where there are more than [`MAX_REQUESTS`].
    pub fn of(timings: &[Timing]) -> Option<Self> {
        if timings.is_empty() || timings.len() > MAX_REQUESTS {
            return None;
        }
        let columns = [column(timings, ttft)?, column(timings, tpot)?, column(timings, e2el)?];
        let rows: Vec<Row> = (0..timings.len()).map(|at| columns.each_ref().map(|column| column[at])).collect();
        Self::kept(rows)
    }

    fn kept(rows: Vec<Row>) -> Option<Self> {
        let measured = rows.iter().flatten().any(|figure| !figure.is_nan());
        measured.then(|| Self(rows.into()))
    }

    /// How many there are; never 0.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Request> {
        let ms = |figure: f32| Ms::new(f64::from(figure));
        self.0.iter().map(move |[ttft, tpot, e2el]| Request { ttft: ms(*ttft), tpot: ms(*tpot), e2el: ms(*e2el) })
    }

    /// How many met every one of these limits, in ms. None where one is of a latency that was not measured.
    pub fn within(&self, limits: &BTreeMap<Latency, f64>) -> Option<usize> {
        let mut at_most: Row = [f32::INFINITY; COLUMNS.len()];
        for (latency, limit) in limits {
            let column = COLUMNS.iter().position(|column| column == latency)?;
            if self.0.iter().all(|row| row[column].is_nan()) {
                return None;
            }
            // Rounding keeps the order: what is within a limit stays within it when both become 32-bit floats.
            at_most[column] = *limit as f32;
        }
        let limited = |latency: Latency| limits.contains_key(&latency);
        let (by_ttft, by_tpot, by_e2el) = (limited(Latency::Ttft), limited(Latency::Tpot), limited(Latency::E2el));
        let met = |[ttft, tpot, e2el]: &&Row| {
            (!by_ttft || *ttft <= at_most[0])
                && (!by_tpot || tpot.is_nan() || *tpot <= at_most[1])
                && (!by_e2el || *e2el <= at_most[2])
        };
        Some(self.0.iter().filter(met).count())
    }

    fn encoded(&self) -> String {
        let measured = |column: usize| self.0.iter().any(|row| !row[column].is_nan());
        let columns: Vec<usize> = (0..COLUMNS.len()).filter(|column| measured(*column)).collect();
        let mut bytes = vec![VERSION, columns.iter().map(|column| 1_u8 << column).sum()];
        for column in columns {
            bytes.extend(self.0.iter().flat_map(|row| row[column].to_le_bytes()));
        }
        STANDARD_NO_PAD.encode(bytes)
    }

    fn decoded(text: &str) -> Option<Self> {
        let bytes = STANDARD_NO_PAD.decode(text).ok()?;
        let (&[version, mask], figures) = bytes.split_first_chunk::<2>()?;
        let columns: Vec<usize> = (0..COLUMNS.len()).filter(|column| mask & (1 << column) != 0).collect();
        let is_known = version == VERSION && mask >> COLUMNS.len() == 0;
        let count = figures.len().checked_div(4 * columns.len())?;
        if !is_known || count * 4 * columns.len() != figures.len() {
            return None;
        }
        let (figures, _) = figures.as_chunks::<4>();
        let mut rows = vec![[f32::NAN; COLUMNS.len()]; count];
        for (column, figures) in columns.into_iter().zip(figures.chunks(count.max(1))) {
            for (row, figure) in rows.iter_mut().zip(figures) {
                row[column] = f32::from_le_bytes(*figure);
            }
        }
        Self::kept(rows)
    }
}

/// A latency of every request: `Ok(None)` where a request has none by its nature, `Err` where it was not measured.
fn column(timings: &[Timing], of: fn(&Timing) -> Result<Option<Ms>, Unmeasured>) -> Option<Vec<f32>> {
    let figures: Result<Vec<f32>, Unmeasured> =
        timings.iter().map(|timing| Ok(of(timing)?.map_or(f32::NAN, |ms| ms.get() as f32))).collect();
    // Zeros throughout were measured over nothing: answers came in one piece.
    let figures = figures.ok().filter(|figures| figures.iter().any(|figure| *figure > 0.0));
    Some(figures.unwrap_or_else(|| vec![f32::NAN; timings.len()]))
}

/// What a tool did not measure of a request.
struct Unmeasured;

fn sound(figure: Option<Ms>) -> Result<Ms, Unmeasured> {
    figure.filter(|ms| ms.get() >= 0.0).ok_or(Unmeasured)
}

fn ttft(timing: &Timing) -> Result<Option<Ms>, Unmeasured> {
    if timing.tokens == Some(0.0) {
        return Ok(None);
    }
    // Tools write 0 where no token was seen to come.
    sound(timing.ttft.filter(|ms| ms.get() > 0.0)).map(Some)
}

fn tpot(timing: &Timing) -> Result<Option<Ms>, Unmeasured> {
    match timing.tokens {
        Some(tokens) if tokens <= 1.0 => Ok(None),
        tokens => {
            let follows = || Ms::new((timing.e2el?.get() - ttft(timing).ok()??.get()) / (tokens? - 1.0));
            sound(timing.tpot.or_else(follows)).map(Some)
        }
    }
}

fn e2el(timing: &Timing) -> Result<Option<Ms>, Unmeasured> {
    sound(timing.e2el).map(Some)
}

/// The limit of each latency for a single request: that of the highest percentile that the SLO names, which is the one
/// that lets the fewest requests through above it.
pub fn limits(slo: &BTreeMap<Metric, f64>) -> BTreeMap<Latency, f64> {
    let mut limits: BTreeMap<Latency, (Option<u16>, f64)> = BTreeMap::new();
    for (metric, limit) in slo {
        let Metric::Latency(latency, stat) = metric else { continue };
        let rank = stat.rank();
        match limits.get(latency) {
            Some((known, _)) if *known >= rank => {}
            Some(_) | None => _ = limits.insert(*latency, (rank, *limit)),
        }
    }
    limits.into_iter().map(|(latency, (_, limit))| (latency, limit)).collect()
}

impl PartialEq for Requests {
    /// Bit by bit, so that what was not measured equals itself.
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().map(|row| row.map(f32::to_bits)).eq(other.0.iter().map(|row| row.map(f32::to_bits)))
    }
}

impl Serialize for Requests {
    /// One text, base64 of: version 1; one bit a column that was measured (1 TTFT, 2 TPOT, 4 E2EL); each such column as
    /// 32-bit floats, little end first, NaN for none.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.encoded())
    }
}

impl<'de> Deserialize<'de> for Requests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::decoded(&text).ok_or_else(|| D::Error::custom("the text is no list of requests"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(ttft: f64, e2el: f64, tokens: f64) -> Timing {
        Timing { ttft: Ms::new(ttft), tpot: None, e2el: Ms::new(e2el), tokens: Some(tokens) }
    }

    fn within(requests: &Requests, limits: &[(Latency, f64)]) -> Option<usize> {
        requests.within(&limits.iter().copied().collect())
    }

    #[test]
    fn a_request_meets_all_limits_or_none_counts() {
        use Latency::{E2el, Itl, Tpot, Ttft};
        // TPOT 10, 20, none (a single token), and a request without a token.
        let all =
            [timing(100.0, 190.0, 10.0), timing(50.1, 250.1, 11.0), timing(70.0, 70.0, 1.0), timing(0.0, 9.0, 0.0)];
        let requests = Requests::of(&all).unwrap();
        type Case<'a> = (&'a [(Latency, f64)], Option<usize>);
        let cases: [Case<'_>; 9] = [
            (&[(Ttft, 50.1)], Some(1)),
            (&[(Ttft, 50.0999)], Some(0)),
            (&[(Ttft, 1000.0)], Some(3)),
            (&[(Tpot, 10.0)], Some(3)),
            (&[(Tpot, 9.99)], Some(2)),
            (&[(E2el, 200.0)], Some(3)),
            (&[(Ttft, 80.0), (Tpot, 15.0)], Some(1)),
            (&[], Some(4)),
            (&[(Itl, 1000.0)], None),
        ];
        for (limits, expected) in cases {
            assert_eq!(within(&requests, limits), expected, "{limits:?}");
        }
    }

    #[test]
    fn a_latency_that_one_request_lacks_is_not_kept_of_any() {
        use Latency::{E2el, Tpot, Ttft};
        let lacks = |timing: Timing| Requests::of(&[self::timing(10.0, 20.0, 5.0), timing]);
        let kept =
            |requests: &Requests| [Ttft, Tpot, E2el].map(|latency| within(requests, &[(latency, 1e9)]).is_some());
        let cases = [
            (Timing { ttft: None, ..timing(1.0, 20.0, 5.0) }, [false, false, true]),
            (Timing { ttft: Ms::new(0.0), tpot: Ms::new(2.0), ..timing(1.0, 20.0, 5.0) }, [false, true, true]),
            (Timing { e2el: None, ..timing(1.0, 20.0, 5.0) }, [true, false, false]),
            (Timing { tokens: None, ..timing(1.0, 20.0, 5.0) }, [true, false, true]),
            (timing(30.0, 20.0, 5.0), [true, false, true]),
            (timing(-1.0, 20.0, 5.0), [false, false, true]),
        ];
        for (timing, expected) in cases {
            assert_eq!(kept(&lacks(timing).unwrap()), expected, "{timing:?}");
        }
        let one_piece = Requests::of(&[timing(20.0, 20.0, 5.0), timing(30.0, 30.0, 5.0)]).unwrap();
        assert_eq!(kept(&one_piece), [true, false, true]);
        assert_eq!(lacks(Timing::default()), None);
        assert_eq!(Requests::of(&[]), None);
    }

    #[test]
    fn more_than_the_limit_are_not_kept_at_all() {
        let all = vec![timing(10.0, 20.0, 5.0); MAX_REQUESTS + 1];
        assert_eq!(Requests::of(&all), None);
        let kept = Requests::of(&all[1..]).unwrap();
        assert_eq!(kept.count(), MAX_REQUESTS);
        assert!(serde_json::to_string(&kept).unwrap().len() <= 16 * MAX_REQUESTS + 8);
    }

    #[test]
    fn the_text_gives_the_same_requests_back_and_no_other_text_does() {
        let all =
            [timing(100.0, 190.0, 10.0), timing(50.1, 250.1, 11.0), timing(70.0, 70.0, 1.0), timing(0.0, 9.0, 0.0)];
        for requests in [Requests::of(&all).unwrap(), Requests::of(&[Timing { e2el: None, ..all[0] }]).unwrap()] {
            let text = serde_json::to_string(&requests).unwrap();
            assert_eq!(serde_json::from_str::<Requests>(&text).unwrap(), requests, "{text}");
            for cut in 1..text.len() - 1 {
                let text = format!("{}\"", &text[..cut]);
                assert!(serde_json::from_str::<Requests>(&text).map_or(true, |other| other != requests), "{text}");
            }
        }
        for text in ["\"\"", "\"!\"", "\"AQA\"", "\"AgEAAAAA\"", "\"AQj/////\"", "\"AQEA\"", "7", "null"] {
            assert!(serde_json::from_str::<Requests>(text).is_err(), "{text}");
        }
    }
}
