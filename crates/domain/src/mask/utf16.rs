//! UTF-16, which PowerShell writes: brought to bytes for the search, and back unchanged.

/// How two bytes are read as a code unit, and a unit is written.
struct Order {
    read: fn([u8; 2]) -> u16,
    write: fn(u16) -> [u8; 2],
}

/// Code units one by one as one to three bytes, halves of pairs like any other: nothing is lost either way.
pub(super) struct Utf16 {
    order: Order,
    /// Half a unit.
    odd: Option<u8>,
    /// Bytes of a unit that is not whole yet.
    part: Vec<u8>,
}

impl Utf16 {
    /// By the byte order mark.
    pub fn of(head: &[u8]) -> Option<Self> {
        let order = match head {
            [0xFF, 0xFE, ..] => Order { read: u16::from_le_bytes, write: u16::to_le_bytes },
            [0xFE, 0xFF, ..] => Order { read: u16::from_be_bytes, write: u16::to_be_bytes },
            _ => return None,
        };
        Some(Self { order, odd: None, part: Vec::new() })
    }

    /// Appends bytes of UTF-16 as narrow ones.
    pub fn narrow(&mut self, bytes: &[u8], to: &mut Vec<u8>) {
        for byte in bytes {
            let Some(first) = self.odd.take() else {
                self.odd = Some(*byte);
                continue;
            };
            let unit = (self.order.read)([first, *byte]);
            let low = |shift: u16| 0x80 | ((unit >> shift) & 0x3F) as u8;
            match unit {
                0..0x80 => to.push(unit as u8),
                0x80..0x800 => to.extend_from_slice(&[0xC0 | (unit >> 6) as u8, low(0)]),
                _ => to.extend_from_slice(&[0xE0 | (unit >> 12) as u8, low(6), low(0)]),
            }
        }
    }

    /// Appends narrow bytes as UTF-16.
    pub fn widen(&mut self, bytes: &[u8], to: &mut Vec<u8>) {
        for byte in bytes {
            self.part.push(*byte);
            let tail = |at: usize| u16::from(self.part[at] & 0x3F);
            let unit = match (self.part[0], self.part.len()) {
                (0..0x80, _) => u16::from(self.part[0]),
                (first @ 0x80..0xE0, 2) => (u16::from(first & 0x1F) << 6) | tail(1),
                (first @ 0xE0.., 3) => (u16::from(first & 0x0F) << 12) | (tail(1) << 6) | tail(2),
                _ => continue,
            };
            self.part.clear();
            to.extend_from_slice(&(self.order.write)(unit));
        }
    }

    /// Appends what was half a unit at the end.
    pub fn rest(&mut self, to: &mut Vec<u8>) {
        to.extend(self.odd.take());
    }
}
