use standing_orders_render::{Notice, Truncated};

#[test]
fn a_notice_names_what_was_omitted_and_then_what_was_cut() {
    let cut = |path, from, to| Some(Truncated { path, from, to });
    let rows: [(&str, &[&str], Option<Truncated<'_>>, &str); 5] = [
        ("nothing lost", &[], None, ""),
        ("one omitted", &["A"], None, "Workspace instruction budget 9 bytes: omitted A"),
        ("two omitted", &["A", "界/B"], None, "Workspace instruction budget 9 bytes: omitted A, 界/B"),
        ("cut", &[], cut("é", 10, 9), "Workspace instruction budget 9 bytes: truncated é from 10 to 9 bytes"),
        (
            "both",
            &["A", "B"],
            cut("C", 10, 0),
            "Workspace instruction budget 9 bytes: omitted A, B; truncated C from 10 to 0 bytes",
        ),
    ];
    for (name, omitted, truncated, expected) in rows {
        assert_eq!(Notice { budget: 9, omitted, truncated }.to_string(), expected, "{name}");
    }
}
