//! What an address asks for after its question mark, typed.

/// The text of a search field: trimmed, and none where it is empty.
#[must_use]
pub fn search(query: Option<&str>) -> Option<String> {
    let text = value(query?, "q")?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether a field is there, whatever its value.
#[must_use]
pub fn has(query: Option<&str>, name: &str) -> bool {
    query.is_some_and(|query| query.split('&').any(|pair| decode(pair.split('=').next().unwrap_or_default()) == name))
}

/// Every field of a form sent by GET, in its order.
#[must_use]
pub fn fields(query: Option<&str>) -> Vec<(String, String)> {
    let pairs = query.unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decode(name), decode(value))).collect()
}

/// The first value of a field of a form sent by GET.
fn value(query: &str, name: &str) -> Option<String> {
    fields(Some(query)).into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// `+` is a space and `%XX` a byte; what is neither stays as it is, and bytes that are no UTF-8 are shown as such.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = bytes.get(at + 1..at + 3).filter(|_| byte == b'%').and_then(hex);
        match (byte, escaped) {
            (_, Some(value)) => out.push(value),
            (b'+', None) => out.push(b' '),
            (other, None) => out.push(other),
        }
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn hex(two: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let value = two.iter().try_fold(0, |sum, byte| Some(sum * 16 + digit(*byte)?))?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_read_as_browsers_write_it() {
        for (query, text) in [
            ("q=h100", Some("h100")),
            ("a=b&q=two+words&q=later", Some("two words")),
            ("q=%E6%A4%9C%E8%A8%BC", Some("検証")),
            ("q=100%25+%2B1", Some("100% +1")),
            ("q=%zz%", Some("%zz%")),
            ("q=+++", None),
            ("q=", None),
            ("p=1", None),
            ("q=%ff", Some("\u{fffd}")),
        ] {
            assert_eq!(search(Some(query)).as_deref(), text, "{query}");
        }
        assert_eq!(search(None), None);
    }
}
