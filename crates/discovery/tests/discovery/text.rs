use proptest::prelude::*;
use standing_orders_discovery::{Encoding, Replaced, SourceText};

const LE: Encoding = Encoding::Utf16Le;
const BE: Encoding = Encoding::Utf16Be;
const UTF8: Encoding = Encoding::Utf8;
const MARKED: Encoding = Encoding::Utf8Marked;

#[test]
fn text_is_decoded_as_d10_says() {
    type Row<'r> = (&'r str, &'r [u8], &'r str, Encoding, Option<(usize, usize)>);
    let rows: [Row<'_>; 19] = [
        ("empty", b"", "", UTF8, None),
        ("plain", b"one\n", "one\n", UTF8, None),
        ("multi-byte", "é規😀".as_bytes(), "é規😀", UTF8, None),
        ("line ends are kept", b"a\r\nb\rc\n", "a\r\nb\rc\n", UTF8, None),
        ("a mark is not content", b"\xef\xbb\xbfone", "one", MARKED, None),
        ("a mark alone is an empty file", b"\xef\xbb\xbf", "", MARKED, None),
        ("only one mark goes", b"\xef\xbb\xbf\xef\xbb\xbfone", "\u{feff}one", MARKED, None),
        ("a mark within is content", b"a\xef\xbb\xbf", "a\u{feff}", UTF8, None),
        ("an invalid byte", b"a\xffb", "a\u{fffd}b", UTF8, Some((1, 1))),
        ("invalid bytes, one mark each", b"\xff\xfd\xe8\xa6", "\u{fffd}\u{fffd}\u{fffd}", UTF8, Some((3, 0))),
        ("offsets count the mark", b"\xef\xbb\xbf\xc3\xa9\xff", "é\u{fffd}", MARKED, Some((1, 5))),
        ("a valid U+FFFD is no fault", "\u{fffd}".as_bytes(), "\u{fffd}", UTF8, None),
        ("UTF-16, low byte first", b"\xff\xfeh\0i\0", "hi", LE, None),
        ("UTF-16, high byte first", b"\xfe\xff\0h\0i", "hi", BE, None),
        ("UTF-16 multi-byte", b"\xfe\xff\x89\x8f\xd8\x3d\xde\x00", "規😀", BE, None),
        ("UTF-16 mark alone", b"\xff\xfe", "", LE, None),
        ("half a pair", b"\xff\xfe\x3d\xd8h\0", "\u{fffd}h", LE, Some((1, 2))),
        ("half a unit at the end", b"\xff\xfeh\0i", "h\u{fffd}", LE, Some((1, 4))),
        ("both", b"\xfe\xff\0h\xdc\x00\0i\0", "h\u{fffd}i\u{fffd}", BE, Some((2, 4))),
    ];
    for (row, bytes, expected, encoding, replaced) in rows {
        let text = SourceText::decode(bytes).unwrap_or_else(|| panic!("{row}: is text"));
        assert_eq!(text.as_str(), expected, "D10, {row}");
        assert_eq!(text.encoding(), encoding, "{row}");
        assert_eq!(text.replaced(), replaced.map(|(count, first)| Replaced { count, first }), "{row}");
        assert_eq!(text.source_len(), bytes.len(), "{row}: the size is that of the file");
        assert_eq!(&*text.shared(), expected, "{row}");
    }
}

#[test]
fn nul_in_the_first_8_kib_is_not_text() {
    let at = |nul: usize| {
        let mut bytes = vec![b'a'; 9000];
        bytes[nul] = 0;
        bytes
    };
    let wide = |nul: usize| {
        let mut bytes = vec![0xff, 0xfe];
        bytes.extend(std::iter::repeat_n([b'a', 0], 5000).flatten());
        bytes[nul] = 0;
        bytes
    };
    let rows = [
        ("first byte", at(0), false),
        ("last of the 8 KiB", at(8191), false),
        ("first after them", at(8192), true),
        ("after a mark", [b"\xef\xbb\xbf".as_slice(), &at(8188)].concat(), false),
        ("multi-byte text before", ["é".as_bytes(), b"\0"].concat(), false),
        ("UTF-16 has zero bytes in plain letters", wide(3), true),
        ("UTF-16 with a zero unit", wide(2), false),
        ("UTF-16 with the last zero unit", wide(8190), false),
        ("UTF-16 with a later zero unit", wide(8192), true),
        ("UTF-16 with two zero bytes across units", b"\xfe\xff\x61\0\0\x61".to_vec(), true),
        ("UTF-32 is not taken for UTF-16", b"\xff\xfe\0\0h\0\0\0".to_vec(), false),
        ("an image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), false),
    ];
    for (row, bytes, is_text) in rows {
        assert_eq!(SourceText::decode(&bytes).is_some(), is_text, "D10, {row}");
    }
}

proptest! {
    #[test]
    fn utf8_comes_through_unchanged(content in "[^\0\u{feff}]*") {
        let text = SourceText::decode(content.as_bytes()).unwrap();
        prop_assert_eq!(text.as_str(), &content);
        prop_assert_eq!(text.replaced(), None);
    }

    #[test]
    fn utf16_says_the_same_as_utf8(content in "[^\0]*", big in any::<bool>()) {
        let order = if big { u16::to_be_bytes } else { u16::to_le_bytes };
        let bytes: Vec<u8> = [0xfeff].into_iter().chain(content.encode_utf16()).flat_map(order).collect();
        let text = SourceText::decode(&bytes).unwrap();
        prop_assert_eq!(text.as_str(), &content);
        prop_assert_eq!(text.encoding(), if big { BE } else { LE });
    }

    #[test]
    fn replaced_bytes_are_counted_and_found(bytes in prop::collection::vec(1..=u8::MAX, 0..60)) {
        prop_assume!(!bytes.starts_with(&[0xff, 0xfe]) && !bytes.starts_with(&[0xfe, 0xff]) && !bytes.starts_with(&[0xef, 0xbb, 0xbf]));
        let text = SourceText::decode(&bytes).unwrap();
        prop_assert_eq!(text.as_str(), &*String::from_utf8_lossy(&bytes));
        let first = std::str::from_utf8(&bytes).err().map(|error| error.valid_up_to());
        prop_assert_eq!(text.replaced().map(|replaced| replaced.first), first);
    }
}
