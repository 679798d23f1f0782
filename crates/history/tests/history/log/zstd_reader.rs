use std::io::{ErrorKind, Read as _, Write as _};

use standing_orders_history::ZstdReader;

/// Frames as they come, and what the reader makes of them: text, or an error of this kind.
#[test]
fn the_reader_prints_what_the_tool_prints() {
    let text = "grüß dich 空\n".repeat(30_000);
    let frame = |text: &str, level| {
        let mut frame = zstd::Encoder::new(Vec::new(), level).unwrap();
        frame.include_checksum(true).unwrap();
        frame.write_all(text.as_bytes()).unwrap();
        frame.finish().unwrap()
    };
    let skipped = [&[0x5F, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let whole = frame(&text, 3);
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let rows: &[(&str, Vec<u8>, Result<String, ErrorKind>)] = &[
        ("nothing", vec![], Ok(String::new())),
        ("one frame", whole.clone(), Ok(text.clone())),
        ("the strongest", frame(&text, 22), Ok(text.clone())),
        ("without a checksum", zstd::encode_all(text.as_bytes(), 1).unwrap(), Ok(text.clone())),
        ("an empty frame", frame("", 3), Ok(String::new())),
        ("an empty frame with its length", zstd::bulk::compress(b"", 3).unwrap(), Ok(String::new())),
        ("only one that is skipped", skipped.clone(), Ok(String::new())),
        (
            "frames and skipped ones",
            [&*skipped, &whole, &*skipped, &frame("ü", 1), &*skipped].concat(),
            Ok(format!("{text}ü")),
        ),
        ("a frame cut short", whole[..whole.len() / 2].to_vec(), Err(ErrorKind::UnexpectedEof)),
        ("a checksum cut short", whole[..whole.len() - 1].to_vec(), Err(ErrorKind::UnexpectedEof)),
        ("half a magic", [&*whole, &[0x28, 0xB5]].concat(), Err(ErrorKind::UnexpectedEof)),
        ("a skipped one cut short", skipped[..9].to_vec(), Err(ErrorKind::UnexpectedEof)),
        ("another checksum", flipped, Err(ErrorKind::InvalidData)),
        ("no frame", "kein Rahmen, 空".into(), Err(ErrorKind::InvalidData)),
        ("something behind a frame", [&*whole, b"abcde"].concat(), Err(ErrorKind::InvalidData)),
    ];
    for (name, bytes, expected) in rows {
        let mut found = Vec::new();
        let mut reader = ZstdReader::new(&**bytes);
        let read = reader.read_to_end(&mut found).map_err(|error| error.kind());
        assert_eq!(&read.map(|_| String::from_utf8(found).unwrap()), expected, "{name}");
        assert_eq!(reader.read(&mut [0]).unwrap(), 0, "{name}: after that there is no more");
        // Where there is nothing at all, the tool's library wants a frame.
        if bytes.is_empty() {
            continue;
        }
        let tool = zstd::decode_all(&**bytes).ok().map(|text| String::from_utf8(text).unwrap());
        assert_eq!(&tool, &expected.clone().ok(), "{name}: as the tool's library says");
    }
}

#[test]
fn what_stands_before_a_fault_is_given_before_the_error() {
    let text: String = (0..200_000).map(|n| format!("{n} grüß dich 空\n")).collect();
    for checksum in [false, true] {
        let mut frame = zstd::Encoder::new(Vec::new(), 3).unwrap();
        frame.include_checksum(checksum).unwrap();
        frame.write_all(text.as_bytes()).unwrap();
        let whole = frame.finish().unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 0xFF;
        let cut = &whole[..whole.len() / 2];
        for (name, bytes) in [("cut short", cut), ("flipped", &flipped)] {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            ZstdReader::new(bytes).read_to_end(&mut ours).unwrap_err();
            zstd::Decoder::new(bytes).unwrap().read_to_end(&mut theirs).unwrap_err();
            assert!(theirs.len() > text.len() / 3, "{name}: {} bytes stand before", theirs.len());
            assert!(ours.len() >= theirs.len(), "{name}: {} bytes of at least {}", ours.len(), theirs.len());
            assert!(ours.starts_with(&theirs), "{name}: as the tool's library gives it");
        }
    }
}
