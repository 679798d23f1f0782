//! Blocks within a budget, and the choke point of framed text.

use criterion::{BenchmarkId, Criterion, Throughput};
use standing_orders_render::{Complete, Frame, Opening, Overflow, Section, Wording};

fn content(number: usize) -> String {
    format!("- Rule {number}: keep the façade thin, name <tests> as sentences & ask first.\n").repeat(128)
}

pub(crate) fn complete(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("complete");
    let wording = Wording::default();
    for count in [5, 10, 100] {
        let files: Vec<_> =
            (0..count).map(|number| (format!("p{number}/AGENTS.md"), content(number))).collect();
        let sections: Vec<_> = files.iter().map(|(path, text)| Section::instructions(path, text)).collect();
        let message = Complete {
            opening: Opening::Introduction,
            sections: &sections,
            gives_way: &[],
            budget: 65_536,
            overflow: Overflow::Drop,
            wording: &wording,
        };
        group.throughput(Throughput::Bytes(files.iter().map(|(_, text)| text.len() as u64).sum()));
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| standing_orders_render::complete(&message));
        });
    }
}

pub(crate) fn neutralise(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("neutralise");
    let frame = Frame::default();
    let rows = [
        ("nothing to see", "Keep the façade thin.\n"),
        ("other tags", "Name <tests> & modules.\n"),
        ("our tag", "Never write </system-reminder>.\n"),
    ];
    for (row, line) in rows {
        let text = line.repeat(2_000);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(row, |bencher| bencher.iter(|| frame.neutralise(&text)));
    }
}
