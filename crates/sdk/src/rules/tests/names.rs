use crate::rules::dialect::{Dialect, FileKind};

#[test]
fn a_dialect_has_its_folders_and_files() {
    let described = Dialect::ALL.map(|dialect| {
        let folders = dialect.folders().iter().map(|folder| {
            let any = if dialect.is_recursive() { "/**" } else { "" };
            format!("{folder}{any}/*{}", dialect.suffix())
        });
        let files = dialect.always_files().iter().map(|&file| file.to_owned());
        format!("{}: {}", dialect.name(), folders.chain(files).collect::<Vec<_>>().join(", "))
    });
    assert_eq!(
        described,
        [
            "claude: .claude/rules/**/*.md, .claude/CLAUDE.md",
            "cursor: .cursor/rules/**/*.mdc",
            "copilot: .github/instructions/**/*.instructions.md, .github/copilot-instructions.md",
            "devin: .devin/rules/*.md, .windsurf/rules/*.md",
            "plain: .agents/rules/*.md",
        ],
        "F1"
    );
    for dialect in Dialect::ALL {
        assert_eq!(serde_json::to_value(dialect).unwrap(), dialect.name(), "one name everywhere");
    }
}

#[test]
fn a_name_says_whether_a_file_is_a_rule() {
    use Dialect::{Claude, Copilot, Cursor, Devin, Plain};
    use FileKind::{Other, Rule, WrongExtension};
    let rows = [
        (Claude, "ts.md", Rule),
        (Claude, "規則.md", Rule),
        (Claude, "README.md", Rule),
        (Claude, "ts.mdc", WrongExtension),
        (Claude, "ts.MD", WrongExtension),
        (Claude, "ts.txt", WrongExtension),
        (Claude, "notes", Other),
        (Claude, "setup.sh", Other),
        (Cursor, "ts.mdc", Rule),
        (Cursor, "規則.md", WrongExtension),
        (Cursor, "README.md", Other),
        (Cursor, "ts.mdc.bak", Other),
        (Copilot, "ts.instructions.md", Rule),
        (Copilot, "ts.md", WrongExtension),
        (Copilot, "ts.instruction.md", WrongExtension),
        (Copilot, "ts.Instructions.md", WrongExtension),
        (Copilot, "Readme.md", Other),
        (Devin, "ts.md", Rule),
        (Devin, "ts.mdc", WrongExtension),
        (Plain, "ts.md", Rule),
        (Plain, "", Other),
    ];
    for (dialect, name, expected) in rows {
        assert_eq!(dialect.file_kind(name), expected, "F1, {name:?} in {}", dialect.name());
    }
}
