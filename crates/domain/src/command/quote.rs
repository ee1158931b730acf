//! Words for a POSIX shell.

/// A word for a POSIX shell. Plain words stay as they are, so that commands read as people type them (`shlex` would quote
/// every `=`). NUL cannot be passed to a program and is dropped.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let word = word.replace('\0', "");
    shlex::try_quote(&word).expect("only NUL cannot be quoted, and there is none").into_owned()
}

/// What a shell reads as its own where a program could stand.
const RESERVED: [&str; 17] = [
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "time", "until", "while",
];

/// A word in the place of the program, where `A=b` would be an assignment and `if` the start of a sentence.
pub(super) fn quote_program(word: &str) -> String {
    let quoted = quote(word);
    let misread = quoted == word && (word.contains('=') || RESERVED.contains(&word));
    if misread { format!("'{word}'") } else { quoted }
}

/// Whether `name` can stand before `=` in a POSIX shell's assignment.
pub fn is_env_name(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
