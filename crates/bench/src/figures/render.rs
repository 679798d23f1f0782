//! Rendering within a budget.

use std::hint::black_box;
use std::time::{Duration, Instant};

use standing_orders_render::{Complete, Fate, Opening, Overflow, Section, Wording, complete};

use crate::figure::{Measured, Outcome, Scale};
use crate::measure::{alternate, median, spread};

/// Bytes of a file.
const FILE: usize = 10_000;
/// Lines from one `<` or `&` to the next: every 650 bytes.
const SPARSE: usize = 5;
/// The budget of the rows on many files.
const BUDGET: usize = 65_536;

struct File {
    path: String,
    content: String,
}

/// What the files are written in.
#[derive(Clone, Copy)]
enum Script {
    Ascii,
    /// ASCII, and one accented letter in each line.
    Latin,
    Chinese,
}

/// Files of 10 KB, each another text, with a `<` or `&` in one of so many lines of 130 bytes. Public
/// files that were looked at have one in a kilobyte or less.
fn files(count: usize, lines: usize, script: Script) -> Vec<File> {
    let file = |number: usize| {
        let mut content = String::with_capacity(FILE + 200);
        for line in 0.. {
            let (name, and) = match (line % lines, line / lines % 2) {
                (0, 0) => ("<type>", "and"),
                (0, _) => ("type", "&"),
                _ => ("type", "and"),
            };
            let text = match script {
                Script::Chinese => format!(
                    "- 规则 {number}.{line}：保持接口精简，每个测试用一句话命名其 {name}，{and} 修改他人依赖的内容之前先询问。\n"
                ),
                Script::Ascii | Script::Latin => {
                    let facade = if matches!(script, Script::Latin) { "façade" } else { "facade" };
                    format!(
                        "- Rule {number}.{line}: keep the {facade} thin, name each test for its {name} as a \
                         sentence, {and} ask before you change what others rely on.\n"
                    )
                }
            };
            content.push_str(&text);
            if content.len() >= FILE {
                break;
            }
        }
        File { path: name(number), content }
    };
    (0..count).map(file).collect()
}

/// Three characters: the notice of 10,000 files with longer paths would leave no room for any file.
fn name(number: usize) -> String {
    let digit =
        |place: usize| u8::try_from(number / place % 26).map_or('?', |digit| char::from(b'a' + digit));
    [digit(676), digit(26), digit(1)].into_iter().collect()
}

fn sections(files: &[File]) -> Vec<Section<'_>> {
    files.iter().map(|file| Section::instructions(&file.path, &file.content)).collect()
}

fn render<'a>(sections: &'a [Section<'a>], budget: usize, wording: &'a Wording) -> Complete<'a> {
    Complete {
        opening: Opening::Introduction,
        sections,
        gives_way: &[],
        budget,
        overflow: Overflow::Drop,
        wording,
    }
}

fn timed(message: &Complete<'_>) -> Outcome<Duration> {
    let start = Instant::now();
    let block = black_box(complete(black_box(message)));
    let elapsed = start.elapsed();
    if block.text.len() > message.budget || !block.fates.contains(&Fate::Whole) {
        return Err("a block is over budget or has no file".into());
    }
    Ok(elapsed)
}

/// Input bytes per second at 10 files, over the same at 10,000.
pub(crate) fn linear(scale: &Scale) -> Outcome<Measured> {
    let wording = Wording::default();
    let files = files(10_000, SPARSE, Script::Ascii);
    let sections = sections(&files);
    let few = sections.get(..10).ok_or("there are 10,000 sections")?;
    let (few, many) = (render(few, BUDGET, &wording), render(&sections, BUDGET, &wording));
    let rounds = alternate(scale.rounds, scale.of(100, 30), || timed(&many), || timed(&few))?;
    // The value is how many times as fast a byte of the few is.
    let per_byte = few.sections.len() as f64 / many.sections.len() as f64;
    let ratios = rounds.measured("").scaled(per_byte);
    let note = format!(
        "files of 10 KB with paths of three characters, budget 65,536 bytes; 10,000 files {} of 10; what cannot fit is not looked at, so a byte of \
         many files costs less",
        rounds.sides()
    );
    Ok(Measured { note, ..ratios })
}

/// The worst growth of the time per input byte when there are more files.
pub(crate) fn per_byte(scale: &Scale) -> Outcome<Measured> {
    let wording = Wording::default();
    let files = files(10_000, SPARSE, Script::Ascii);
    let sections = sections(&files);
    let (mut values, mut last) = (Vec::new(), Vec::new());
    for _ in 0..scale.rounds {
        let mut times = Vec::new();
        for count in [10, 100, 1_000, 10_000] {
            let message = render(sections.get(..count).unwrap_or(&[]), BUDGET, &wording);
            let mut calls = (0..scale.of(50, 15)).map(|_| timed(&message)).collect::<Outcome<Vec<_>>>()?;
            let time = median(&mut calls).unwrap_or_default().as_secs_f64() * 1e9;
            times.push((count, time / (count * FILE) as f64));
        }
        let growth = times
            .iter()
            .enumerate()
            .flat_map(|(at, (_, fewer))| times.iter().skip(at + 1).map(move |(_, more)| more / fewer));
        values.push(growth.fold(0.0, f64::max));
        last = times;
    }
    let each: Vec<String> = last.iter().map(|(count, time)| format!("{count} files {time:.4}")).collect();
    let of = |pick: fn(f64, f64) -> f64| last.iter().map(|(_, time)| *time).reduce(pick).unwrap_or(0.0);
    let note = format!(
        "ns a byte of input: {}; most over least {:.1}, as what cannot fit is not looked at: less time is no fault, \
         so the limit holds for growth",
        each.join(", "),
        of(f64::max) / of(f64::min)
    );
    Ok(spread(values, note))
}

/// A whole block of one MiB of ASCII against a copy and one scan of what survives.
pub(crate) fn copy(scale: &Scale) -> Outcome<Measured> {
    let sparse = copied(scale, SPARSE, Script::Ascii)?;
    let dense = copied(scale, 1, Script::Ascii)?;
    let latin = copied(scale, SPARSE, Script::Latin)?;
    let note = format!(
        "{}; with a `<` or `&` every 650 bytes. With one every 130 bytes {:.2}; with an accented letter in each line {:.2}",
        sparse.note,
        dense.value.unwrap_or(f64::NAN),
        latin.value.unwrap_or(f64::NAN)
    );
    Ok(Measured { note, ..sparse })
}

/// The same of Chinese text: the first byte of each full-width comma is that of a full-width `<`.
pub(crate) fn copy_chinese(scale: &Scale) -> Outcome<Measured> {
    copied(scale, SPARSE, Script::Chinese)
}

fn copied(scale: &Scale, lines: usize, script: Script) -> Outcome<Measured> {
    const MIB: usize = 1 << 20;
    let wording = Wording::default();
    let files = files(120, lines, script);
    let sections = sections(&files);
    let message = render(&sections, MIB, &wording);
    let block = complete(&message);
    let whole = files.iter().zip(&block.fates).filter(|(_, fate)| **fate == Fate::Whole);
    let surviving: Vec<&str> = whole.map(|(file, _)| file.content.as_str()).collect();
    let bytes: usize = surviving.iter().map(|text| text.len()).sum();
    let rounds = alternate(
        scale.rounds,
        scale.of(200, 50),
        || timed(&message),
        || {
            let start = Instant::now();
            let mut text = String::with_capacity(bytes);
            let mut found = 0;
            for part in black_box(&surviving) {
                found += memchr::memchr_iter(b'<', part.as_bytes()).count();
                text.push_str(part);
            }
            black_box((text, found));
            Ok(start.elapsed())
        },
    )?;
    let note = format!("120 files, {} survive with {bytes} bytes; {}", surviving.len(), rounds.sides());
    Ok(rounds.measured(note))
}
