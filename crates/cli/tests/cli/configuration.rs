use crate::repo::Repo;

fn max_bytes(repo: &Repo, args: &[&str], variables: &[(&str, &str)]) -> u64 {
    let args = ["explain", "--json"].iter().chain(args);
    let output = repo.run(args).envs(variables.iter().copied()).output().unwrap();
    let value: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    value["configuration"]["values"]["max_bytes"].as_u64().unwrap()
}

#[test]
fn the_strongest_source_counts() {
    let repo = Repo::with(&[("r/sub/x", ""), ("other.toml", "max_bytes = 3")]);
    assert_eq!(max_bytes(&repo, &[], &[]), 65_536, "without configuration");
    repo.write("r/standing-orders.toml", "max_bytes = 2");
    assert_eq!(max_bytes(&repo, &[], &[]), 2, "the file at the root");
    assert_eq!(max_bytes(&repo, &["sub"], &[]), 2, "from below the root too");
    assert_eq!(max_bytes(&repo, &["--config", "../other.toml"], &[]), 3, "the file that is named");
    let variable = [("STANDING_ORDERS_MAX_BYTES", "4")];
    assert_eq!(max_bytes(&repo, &["--config", "../other.toml"], &variable), 4, "a variable");
    assert_eq!(max_bytes(&repo, &["--max-bytes", "5"], &variable), 5, "an argument");
}

#[test]
fn which_configuration_counts_is_said() {
    let repo = Repo::with(&[("r/standing-orders.toml", "max_bytes = 2")]);
    let described = |args: &[&str]| {
        let output = repo
            .run(["explain"].iter().chain(args))
            .env("STANDING_ORDERS_OVERFLOW", "trim")
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find(|line| line.starts_with("configured")).unwrap().to_owned()
    };
    let file = repo.path("r/standing-orders.toml");
    let file = file.display();
    assert_eq!(described(&[]), format!("configured   {file}; then STANDING_ORDERS_OVERFLOW"));
    let given = described(&["--config", "standing-orders.toml"]);
    assert_eq!(given, "configured   standing-orders.toml, as given; then STANDING_ORDERS_OVERFLOW");
}

#[test]
fn the_root_is_the_one_that_the_configuration_says() {
    let repo = Repo::with(&[
        ("r/standing-orders.toml", "max_bytes = 9000\nproject_root_markers = ['.inner']"),
        ("r/a/.inner", ""),
        ("r/a/b/x", ""),
    ]);
    let value: serde_json::Value = serde_json::from_str(&repo.stdout(["explain", "--json", "a/b"])).unwrap();
    assert_eq!(value["root"]["path"], repo.path("r/a").to_str().unwrap());
    assert_eq!(value["configuration"]["file"], repo.path("r/standing-orders.toml").to_str().unwrap());
    let value: serde_json::Value =
        serde_json::from_str(&repo.stdout(["explain", "--json", "a/b/x"])).unwrap();
    assert_eq!(value["session"]["cwd"], repo.path("r/a").to_str().unwrap(), "a file: a session at that root");
}

#[test]
fn the_home_is_a_folder_a_profile_or_none() {
    let repo = Repo::with(&[("home/.dsh/AGENTS.md", "D"), ("other/AGENTS.md", "O")]);
    let shown = |args: &[&str], variables: &[(&str, &str)]| {
        let output =
            repo.run(["render"].iter().chain(args)).envs(variables.iter().copied()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .find(|line| line.starts_with("Instructions from: "))
            .unwrap_or("")
            .replace("Instructions from: ", "")
    };
    let other = repo.path("other");
    assert_eq!(shown(&[], &[]), "~/.dsh/AGENTS.md");
    assert_eq!(shown(&["--home", "../other"], &[]), "…/other/AGENTS.md", "relative to the current directory");
    repo.write("home/ägent/AGENTS.md", "H");
    assert_eq!(shown(&["--home", "../home/ägent"], &[]), "~/ägent/AGENTS.md", "below the user's home");
    assert_eq!(shown(&[], &[("STANDING_ORDERS_HOME", "~/ägent")]), "~/ägent/AGENTS.md", "by configuration");
    repo.write("r/standing-orders.toml", format!("max_bytes = 900\nhome = {:?}", other.to_str().unwrap()));
    assert_eq!(shown(&[], &[("DSH_HOME", "/elsewhere")]), "…/other/AGENTS.md", "nobody's variable named it");
    std::fs::remove_file(repo.path("r/standing-orders.toml")).unwrap();
    assert_eq!(shown(&["--home", "~/.dsh"], &[]), "~/.dsh/AGENTS.md", "a tilde that the shell left");
    assert_eq!(shown(&[], &[("DSH_HOME", other.to_str().unwrap())]), "$DSH_HOME/AGENTS.md");
    assert_eq!(shown(&["--home", "none"], &[]), "");
}

#[test]
fn a_blank_variable_is_not_said_to_count() {
    let repo = Repo::new();
    for (name, value, counts) in [
        ("STANDING_ORDERS_MAX_BYTES", " ", false),
        ("STANDING_ORDERS_SELECTION", "", false),
        ("STANDING_ORDERS_WORDING__FRAME", "", false),
        ("STANDING_ORDERS_LOCAL_INSTRUCTION_FILE_CANDIDATES", "", true),
        ("STANDING_ORDERS_WORDING__INTRODUCTION", "", true),
        ("STANDING_ORDERS_MAX_BYTES", "9", true),
    ] {
        let output = repo.run(["explain", "--json"]).env(name, value).output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let named = json["configuration"]["variables"].as_array().unwrap();
        assert_eq!(named.iter().any(|named| named == name), counts, "{name}={value:?} sets something");
        let output = repo.run(["explain"]).env(name, value).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().contains(name), counts, "{name}={value:?}");
    }
}

#[test]
fn the_nearest_file_upward_configures_with_markers_of_its_own_and_without_git() {
    let repo = Repo::with(&[
        ("p/standing-orders.toml", "max_bytes = 9000\nproject_root_markers = ['.wurzel']"),
        ("p/.wurzel", ""),
        ("p/AGENTS.md", "Rule.\n"),
        ("p/sub/tïef/x.rs", ""),
    ]);
    let file = repo.path("p/standing-orders.toml");
    for (name, path) in
        [("its folder", "."), ("a subfolder", "sub"), ("deep", "sub/tïef"), ("a file", "sub/tïef/x.rs")]
    {
        let output = repo.run_in("p", ["explain", "--json", path]).output().unwrap();
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["configuration"]["file"], file.to_str().unwrap(), "{name}");
        assert_eq!(value["root"]["path"], repo.path("p").to_str().unwrap(), "{name}: by its marker");
        let text = repo.run_in("p", ["render", path]).output().unwrap();
        assert!(
            String::from_utf8(text.stdout).unwrap().contains("Rule."),
            "{name}: the root's file is given"
        );
        assert_eq!(text.stderr, b"", "{name}: nothing is strange about it");
    }
    let page = repo.run_in("p", ["explain", "sub"]).output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    let said = format!("{}, the nearest one upward from {}\n", file.display(), repo.path("p/sub").display());
    assert!(page.contains(&format!("configured   {said}")), "where it was found is said: {page}");
    let checked = repo.run_in("p", ["check", "-v", "sub"]).output().unwrap();
    let stderr = String::from_utf8(checked.stderr).unwrap();
    assert!(stderr.contains(&format!("configuration: {said}")), "by check too: {stderr}");
}

#[test]
fn nearer_is_stronger_and_the_users_home_is_the_last_folder() {
    let repo = Repo::with(&[
        ("standing-orders.toml", "max_bytes = 1"),
        ("home/standing-orders.toml", "max_bytes = 2"),
        ("home/p/.git/HEAD", ""),
        ("home/p/é/x", ""),
        ("r/é/x", ""),
    ]);
    let max = |dir: &str| {
        let output = repo.run_in(dir, ["explain", "--json"]).output().unwrap();
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        value["configuration"]["values"]["max_bytes"].as_u64().unwrap()
    };
    assert_eq!(max("r/é"), 1, "outside of the home to the top");
    assert_eq!(max("home/p/é"), 2, "the home itself counts");
    repo.write("home/p/é/standing-orders.toml", "max_bytes = 3");
    assert_eq!((max("home/p/é"), max("home/p")), (3, 2), "the nearest counts alone");
    std::fs::remove_file(repo.path("home/standing-orders.toml")).unwrap();
    assert_eq!(max("home/p"), 65_536, "what lies above the home does not");
    let page = repo.run_in("home/p", ["explain"]).output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    let (p, home) = (repo.path("home/p"), repo.path("home"));
    let expected = format!(
        "configured   defaults, for there is no standing-orders.toml from {} up to {}\n",
        p.display(),
        home.display()
    );
    assert!(page.contains(&expected), "{page}");
}

#[test]
fn a_file_above_the_root_is_said_wherever_it_configures() {
    let repo = Repo::with(&[("standing-orders.toml", "max_bytes = 9000"), ("r/AGENTS.md", "A\n")]);
    let file = repo.path("standing-orders.toml");
    let expected = format!("note: configured by {}, which lies above the root\n", file.display());
    for command in ["render", "check"] {
        let output = repo.run([command]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with(&expected), "{command}: {stderr}");
        let output = repo.run([command, "-q"]).output().unwrap();
        assert_eq!(output.stderr, b"", "{command}: not when quiet");
    }
}
