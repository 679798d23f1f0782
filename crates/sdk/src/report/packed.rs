//! The rows of a report in few bytes: what a session keeps of its last one.
//!
//! Rows of one place stand together: first the place, as what it shares with the one before it (or
//! with where the session stands) and the rest; then who looked and why; then a byte for each fate.
//! Numbers are written seven bits a byte, the low ones first.

use super::Looked;
use super::draft::{Code, Name, Row, Rows};

/// Packs `rows`; `base` is a text that their places likely begin with.
pub(super) fn pack(rows: &Rows, base: &str) -> Box<[u8]> {
    let mut to = Vec::with_capacity(rows.text.len() + 4 * rows.list.len());
    let mut last = "";
    let mut rest = rows.list.as_slice();
    while let Some(first) = rest.first() {
        let together =
            rest.iter().zip(0_u16..).take_while(|(row, number)| goes_on(first, row, *number)).count();
        let (group, after) = rest.split_at_checked(together).unwrap_or((rest, &[]));
        let place = rows.dir(first);
        let (with_last, with_base) = (shared(last, place), shared(base, place));
        let of_base = with_base > with_last;
        let start = with_base.max(with_last);
        number(&mut to, (start as u64) << 1 | u64::from(of_base));
        let own = place.get(start..).unwrap_or("");
        number(&mut to, own.len() as u64);
        to.extend_from_slice(own.as_bytes());
        number(&mut to, u64::from(first.injector));
        to.push(first.looked as u8);
        number(&mut to, u64::from(first.name.0));
        number(&mut to, group.len() as u64);
        group.iter().for_each(|row| code(&mut to, row.fate));
        (last, rest) = (place, after);
    }
    to.into()
}

/// Whether `row` can stand in the group that `first` begins, as the one with this number.
fn goes_on(first: &Row, row: &Row, number: u16) -> bool {
    let same = |row: &Row| (row.at, row.injector, row.looked);
    let name = number == 0 || (first.name != Name::WHOLE && first.name != Name::USER_GLOBAL);
    name && same(first) == same(row) && first.name.0.checked_add(number) == Some(row.name.0)
}

/// How many bytes two texts have in common, at the end of a character.
fn shared(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|at| one.is_char_boundary(*at)).unwrap_or(0)
}

fn number(to: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        to.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn code(to: &mut Vec<u8>, code: Code) {
    let (tag, argument) = match code {
        Code::Absent => (0, None),
        Code::NotAFile => (1, None),
        Code::ShadowedBy(row) => (2, Some(row)),
        Code::DuplicateOf(row) => (3, Some(row)),
        Code::SameFileAs(row) => (4, Some(row)),
        Code::Detail(at) => (5, Some(at)),
        Code::Held => (6, None),
        Code::Frozen => (7, None),
        Code::Blocked => (8, None),
        Code::Unchanged => (9, None),
        Code::Removed => (10, None),
        Code::Omitted => (11, None),
        Code::StillOmitted => (12, None),
        Code::LeftOut => (13, None),
        Code::Waits => (14, None),
        Code::Unfit => (15, None),
        Code::Denied => (16, None),
        Code::Excluded => (17, None),
    };
    to.push(tag);
    if let Some(argument) = argument {
        number(to, u64::from(argument));
    }
}

/// The rows as they were packed with this `base`.
pub(super) fn unpack(bytes: &[u8], base: &str) -> Rows {
    let mut rows = Rows::default();
    let mut from = Bytes(bytes);
    // Only what `pack` wrote is ever here, so nothing ends early.
    while !from.0.is_empty() && group(&mut from, base, &mut rows).is_some() {}
    rows
}

fn group(from: &mut Bytes<'_>, base: &str, rows: &mut Rows) -> Option<()> {
    let start = from.number()?;
    let (start, of_base) = (usize::try_from(start >> 1).ok()?, start & 1 == 1);
    let own = from.number()?;
    let own = std::str::from_utf8(from.take(usize::try_from(own).ok()?)?).ok()?;
    let shared = match of_base {
        true => base.get(..start)?.to_owned(),
        false => rows.list.last().map_or("", |row| rows.dir(row)).get(..start)?.to_owned(),
    };
    let at = rows.place(&(shared + own));
    let injector = u16::try_from(from.number()?).ok()?;
    let looked = looked(from.byte()?)?;
    let first = u16::try_from(from.number()?).ok()?;
    let count = u16::try_from(from.number()?).ok()?;
    for number in 0..count {
        let fate = from.code()?;
        rows.list.push(Row { at, name: Name(first.checked_add(number)?), injector, looked, fate });
    }
    Some(())
}

const fn looked(tag: u8) -> Option<Looked> {
    Some(match tag {
        0 => Looked::Baseline,
        1 => Looked::Restore,
        2 => Looked::Resume,
        3 => Looked::Visible,
        4 => Looked::Touch,
        5 => Looked::Wanted,
        _ => return None,
    })
}

struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn code(&mut self) -> Option<Code> {
        let tag = self.byte()?;
        let mut argument = || u32::try_from(self.number()?).ok();
        Some(match tag {
            0 => Code::Absent,
            1 => Code::NotAFile,
            2 => Code::ShadowedBy(argument()?),
            3 => Code::DuplicateOf(argument()?),
            4 => Code::SameFileAs(argument()?),
            5 => Code::Detail(argument()?),
            6 => Code::Held,
            7 => Code::Frozen,
            8 => Code::Blocked,
            9 => Code::Unchanged,
            10 => Code::Removed,
            11 => Code::Omitted,
            12 => Code::StillOmitted,
            13 => Code::LeftOut,
            14 => Code::Waits,
            15 => Code::Unfit,
            16 => Code::Denied,
            17 => Code::Excluded,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fate() -> impl Strategy<Value = Code> {
        let number = prop_oneof![0..4_u32, Just(127), Just(128), Just(u32::MAX)];
        prop_oneof![
            4 => Just(Code::Absent),
            4 => Just(Code::Unchanged),
            1 => prop::sample::select(vec![
                Code::NotAFile, Code::Held, Code::Frozen, Code::Blocked, Code::Removed, Code::Omitted,
                Code::StillOmitted, Code::LeftOut, Code::Waits, Code::Unfit, Code::Denied, Code::Excluded,
            ]),
            2 => (0..4, number).prop_map(|(kind, number)| match kind {
                0 => Code::ShadowedBy(number),
                1 => Code::DuplicateOf(number),
                2 => Code::SameFileAs(number),
                _ => Code::Detail(number),
            }),
        ]
    }

    fn rows() -> impl Strategy<Value = Rows> {
        let place = prop::sample::select(vec!["", ".", "a", "a/é", "a/è", "a/é/c", "a/é/c/d", "~/.dsh"]);
        let name = prop_oneof![
            6 => (0..4_u16).prop_map(Name),
            1 => Just(Name::USER_GLOBAL),
            1 => Just(Name::WHOLE),
            1 => Just(Name::candidate(usize::MAX)),
        ];
        let looked = (0..6_u8).prop_map(|tag| looked(tag).unwrap());
        let row = (place, name, prop_oneof![Just(0), Just(1), Just(u16::MAX)], looked, fate());
        prop::collection::vec((row, 1..6_u16), 0..12).prop_map(|groups| {
            let mut rows = Rows::default();
            for ((place, name, injector, looked, fate), count) in groups {
                let at = rows.place(place);
                for number in 0..count {
                    let name = if name.0 < 4 { Name(name.0 + number) } else { name };
                    rows.list.push(Row { at, name, injector, looked, fate });
                }
            }
            rows
        })
    }

    proptest! {
        #[test]
        fn rows_come_back_as_they_were(rows in rows(), base in prop::sample::select(vec!["", "a/é/c", "a/ê"])) {
            let again = unpack(&pack(&rows, base), base);
            let told = |rows: &Rows| {
                let told = |row: &Row| (rows.dir(row).to_owned(), row.name, row.injector, row.looked, row.fate);
                rows.list.iter().map(told).collect::<Vec<_>>()
            };
            prop_assert_eq!(told(&again), told(&rows), "nothing is lost on the way");
        }
    }

    #[test]
    fn a_chain_takes_few_bytes_whatever_its_depth() {
        let base = "package1/package2/package3/package4/package5/package6/package7";
        let mut rows = Rows::default();
        let dirs = [0].into_iter().chain((1..8).map(|depth| depth * 9 - 1));
        for dir in dirs.map(|end| if end == 0 { "." } else { &base[..end] }) {
            let at = rows.place(dir);
            for number in 0..4 {
                let (name, looked) = (Name::candidate(number), Looked::Baseline);
                let fate = if number == 0 { Code::Unchanged } else { Code::Absent };
                rows.list.push(Row { at, name, injector: 0, looked, fate });
            }
        }
        let bytes = pack(&rows, base).len();
        assert!(bytes <= 8 * 11, "{bytes} bytes for eight directories of four names");
    }
}
