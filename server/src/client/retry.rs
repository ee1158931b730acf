//! When to try again: sooner first, later after each failure, never all clients at once.

use std::time::Duration;

use chrono::{DateTime, Utc};

/// Before the second try, at most.
const FIRST: Duration = Duration::from_millis(500);
/// Before any try, at most, unless the server asks for more.
const LONGEST: Duration = Duration::from_secs(30);
/// A server that asks for more than this is away: nobody waits at a command line.
const LONGEST_ASKED: Duration = Duration::from_secs(300);

/// Waits, longer each time.
pub struct Backoff {
    left: u32,
    ceiling: Duration,
}

impl Backoff {
    pub fn new(retries: u32) -> Self {
        Self { left: retries, ceiling: FIRST }
    }

    /// How long to wait before the next try; none where there is to be no other.
    pub fn next(&mut self, asked: Option<Duration>) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        let ceiling = self.ceiling;
        self.ceiling = (ceiling * 2).min(LONGEST);
        // Between half and all of it: agents that failed together do not come back together.
        let wait = ceiling / 2 + (ceiling / 2).mul_f64(chance());
        Some(match asked {
            Some(asked) => asked.min(LONGEST_ASKED) + wait.min(FIRST),
            None => wait,
        })
    }
}

/// `Retry-After`: seconds, or a date.
pub fn after(value: &str) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = DateTime::parse_from_rfc2822(value.trim()).ok()?;
    Some((at.with_timezone(&Utc) - Utc::now()).to_std().unwrap_or_default())
}

/// Between 0 and 1. Without a source of chance: the middle.
fn chance() -> f64 {
    let drawn = getrandom::u32().unwrap_or(u32::MAX / 2);
    f64::from(drawn) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_end() {
        let mut backoff = Backoff::new(10);
        let mut ceiling = FIRST;
        for _ in 0..10 {
            let wait = backoff.next(None).unwrap();
            assert!(wait >= ceiling / 2 && wait <= ceiling, "{wait:?} of {ceiling:?}");
            ceiling = (ceiling * 2).min(LONGEST);
        }
        assert_eq!(backoff.next(None), None);
    }

    #[test]
    fn what_the_server_asks_for_is_waited_for_but_not_for_ever() {
        let wait = Backoff::new(1).next(after("3")).unwrap();
        assert!(wait >= Duration::from_secs(3) && wait <= Duration::from_secs(4), "{wait:?}");
        assert!(Backoff::new(1).next(after("86400")).unwrap() <= Duration::from_secs(301));
        assert_eq!(after("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(after("Wed, 21 Oct 2099 07:28:00 GMT").unwrap() > Duration::from_secs(86_400));
        assert_eq!(after("soon"), None);
    }
}
