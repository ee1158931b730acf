//! Flags and their values in an argument list, before anybody asks what they mean.

use super::quote;

/// A flag for comparison: `--a_b=1`, `--a-b 1` and `--a-b=1` are the same.
///
/// The fingerprint of a variant is made of these: what they are must not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// With dashes for underscores; a word without a flag before it stands as a name of its own.
    pub name: String,
    /// None for a switch.
    pub value: Option<String>,
}

/// The flags of an argument list, in order.
pub fn flags(args: &[String]) -> Vec<Flag> {
    let mut flags: Vec<Flag> = Vec::new();
    let mut open = false;
    for arg in args {
        if is_flag(arg) {
            let (name, value) = arg.split_once('=').map_or((arg.as_str(), None), |(name, value)| (name, Some(value)));
            let name = if name.starts_with("--") { name.replace('_', "-") } else { name.to_owned() };
            flags.push(Flag { name, value: value.map(str::to_owned) });
            open = value.is_none();
        } else if let Some(flag) = flags.last_mut().filter(|_| open) {
            flag.value = Some(arg.clone());
            open = false;
        } else {
            flags.push(Flag { name: arg.clone(), value: None });
        }
    }
    flags
}

/// One line an argument; a value that follows its flag as a word of its own stays on the flag's line. As many lines as
/// [`flags`] has entries.
pub(super) fn lines(args: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for arg in args {
        let flag = is_flag(arg);
        match lines.last_mut().filter(|_| open && !flag) {
            Some(line) => {
                line.push(' ');
                line.push_str(&quote(arg));
                open = false;
            }
            None => {
                lines.push(quote(arg));
                open = flag && !arg.contains('=');
            }
        }
    }
    lines
}

/// A dash starts a flag, unless it starts a number.
pub(super) fn is_flag(arg: &str) -> bool {
    arg.starts_with('-') && arg.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_flag_is_recognised_in_every_spelling() {
        let args = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(flags(&args(&["--a_b=1", "-x"])), flags(&args(&["--a-b", "1", "-x"])));
        let negative = Flag { name: "--t".to_owned(), value: Some("-0.5".to_owned()) };
        assert_eq!(flags(&args(&["--t", "-0.5"])), [negative]);
    }

    proptest::proptest! {
        /// `shlex` stands in for a shell here; the tests of the crate ask a real one.
        #[test]
        fn printed_lines_read_back_as_the_argument_list(args in proptest::collection::vec("[^\0]{0,12}", 0..6)) {
            let lines = lines(&args);
            proptest::prop_assert_eq!(lines.len(), flags(&args).len());
            proptest::prop_assert_eq!(shlex::split(&lines.join(" ")), Some(args));
        }
    }
}
