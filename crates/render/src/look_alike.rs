//! Tags spelled with letters that merely look alike (R4, X2). They stay as written: who reads them decides.

use crate::Frame;
use crate::reader::{Reader, Reading};
use crate::scan::{Marks, Scan};

impl Frame {
    /// Where `text` has what looks like a tag of this frame or of the default one, but is spelled with
    /// characters that are others (`</ѕystem-reminder>` with a Cyrillic letter, `‹system-reminder›`): the
    /// bytes just behind each `<`, in ascending order. What [`neutralise`](Self::neutralise) marks is not
    /// among them.
    ///
    /// - A look-alike is one by a short table of the confusable letters of the Latin alphabet in Cyrillic, Greek,
    ///   Armenian and Cherokee, of Latin small capitals, of letters in squares and circles, and of the
    ///   characters that pass for `<`, `/` and `-`. Unicode's list of confusables has thousands of pairs, most
    ///   of them unlike enough to be seen, and would be a data file of its own.
    /// - For notes only. Linear in the bytes of `text`, and at most one result for each tag's length of it;
    ///   text that is ASCII has none.
    #[must_use]
    pub fn look_alikes(&self, text: &str) -> Vec<usize> {
        if text.is_ascii() {
            return Vec::new();
        }
        let mut read = Marks::new(self);
        read.push(text);
        let read = read.finish();
        let reader = |name| Reader::new(name, Reading::LookAlikes);
        let mut scan = Scan::with(self, [reader(self.tag()), reader(Self::DEFAULT_TAG)]);
        let mut places = Vec::new();
        for c in text.chars() {
            scan.step(c, |place| places.push(place));
        }
        places.extend(scan.each_pending());
        places.sort_unstable();
        places.retain(|place| read.binary_search(place).is_err());
        places
    }
}

/// The ASCII character that `c` passes for, lower case.
pub(crate) fn passes_for(c: char) -> Option<u8> {
    let byte = match c {
        'а' | 'А' | 'α' | 'Α' | 'ᴀ' | 'Ꭺ' => b'a',
        'В' | 'в' | 'Β' | 'ʙ' | 'Ь' | 'Ᏼ' => b'b',
        'с' | 'С' | 'ϲ' | 'Ϲ' | 'ᴄ' | 'Ꮯ' => b'c',
        'ԁ' | 'ᴅ' | 'Ꭰ' | 'Ԁ' | 'ɗ' | 'đ' => b'd',
        'е' | 'Е' | 'Ε' | 'ε' | 'ᴇ' | 'Ꭼ' | 'ҽ' | 'є' => b'e',
        'ғ' | 'ꜰ' | 'Ϝ' | 'ẝ' => b'f',
        'ɡ' | 'ɢ' | 'ց' | 'Ꮐ' | 'ԍ' => b'g',
        'н' | 'Н' | 'Η' | 'һ' | 'Һ' | 'հ' | 'ʜ' | 'Ꮋ' => b'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ɪ' | 'ɩ' | 'ӏ' | 'Ӏ' | 'Ꭵ' | 'ǃ' => b'i',
        'ј' | 'Ј' | 'ϳ' | 'Ϳ' | 'ᴊ' | 'Ꭻ' => b'j',
        'к' | 'К' | 'κ' | 'Κ' | 'ᴋ' | 'Ꮶ' => b'k',
        'ʟ' | 'Ꮮ' | 'ŀ' | 'ł' | 'ǀ' | 'լ' => b'l',
        'м' | 'М' | 'Μ' | 'ᴍ' | 'Ꮇ' | 'ɱ' | 'ꮇ' => b'm',
        'п' | 'Ν' | 'ν' | 'η' | 'ɴ' | 'ո' | 'ռ' | 'ŋ' => b'n',
        'о' | 'О' | 'ο' | 'Ο' | 'σ' | 'օ' | 'Օ' | 'ᴏ' => b'o',
        'р' | 'Р' | 'ρ' | 'Ρ' | 'ᴘ' | 'Ꮲ' => b'p',
        'ԛ' | 'Ԛ' | 'զ' => b'q',
        'г' | 'ʀ' | 'ᴦ' | 'Ꭱ' | 'Ꮢ' | 'ɾ' | 'ꭇ' | 'ꭱ' => b'r',
        'ѕ' | 'Ѕ' | 'ꜱ' | 'Տ' | 'Ꮪ' | 'ƽ' => b's',
        'т' | 'Т' | 'τ' | 'Τ' | 'ᴛ' | 'Ꭲ' | 'ƭ' => b't',
        'υ' | 'ս' | 'ᴜ' | 'Ս' | 'ʋ' => b'u',
        'ѵ' | 'Ѵ' | 'ᴠ' | 'Ꮩ' => b'v',
        'ԝ' | 'Ԝ' | 'ω' | 'ѡ' | 'ᴡ' | 'Ꮤ' | 'ա' => b'w',
        'х' | 'Х' | 'χ' | 'Χ' => b'x',
        'у' | 'У' | 'ү' | 'Ү' | 'γ' | 'Υ' | 'ʏ' | 'Ꭹ' | 'ყ' => b'y',
        'Ζ' | 'ζ' | 'ᴢ' | 'Ꮓ' => b'z',
        '\u{1f150}'..='\u{1f169}' => alphabetic(c, 0x1f150),
        '\u{1f170}'..='\u{1f189}' => alphabetic(c, 0x1f170),
        '\u{1f1e6}'..='\u{1f1ff}' => alphabetic(c, 0x1f1e6),
        '‹' | '〈' | '\u{2329}' | '⟨' | '❮' | '˂' | 'ᐸ' | '𐌂' | '❬' | 'ᚲ' => b'<',
        '⁄' | '∕' | '╱' | '⧸' | '丿' | 'ノ' | '⟋' => b'/',
        '¯' | '‐' | '⁃' | 'ー' | '─' | '━' | '➖' | '一' | '·' => b'-',
        _ => return None,
    };
    Some(byte)
}

fn alphabetic(c: char, a: u32) -> u8 {
    u8::try_from(u32::from(c) - a).map_or(b'a', |at| b'a'.saturating_add(at))
}
