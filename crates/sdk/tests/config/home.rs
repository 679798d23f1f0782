use super::{load, variables};
use standing_orders::config::Environment;

fn resolve(home: &str, environment: &Environment) -> Result<Option<(String, String)>, String> {
    let config = load(&format!("max_bytes = 1\nhome = {home:?}")).map_err(|error| error.to_string())?;
    let home = config.home(environment).map_err(|error| error.to_string())?;
    Ok(home.map(|home| (home.dir.to_str().unwrap().to_owned(), home.shown)))
}

#[test]
fn a_profile_or_a_folder_names_the_home() {
    // Name, `home`, DSH_HOME, folder and how it is shown.
    let rows = [
        ("the default profile", "dsh", None, Some(("/u/é/.dsh", "~/.dsh"))),
        ("its variable", "dsh", Some("/d"), Some(("/d", "$DSH_HOME"))),
        ("a blank variable does not count", "dsh", Some(" \t"), Some(("/u/é/.dsh", "~/.dsh"))),
        ("a variable with the default folder", "dsh", Some("/u/é/x/../.dsh/"), Some(("/u/é/.dsh", "~/.dsh"))),
        ("a variable below the user's home", "dsh", Some("~/π"), Some(("/u/é/π", "$DSH_HOME"))),
        ("none", "none", Some("/d"), None),
        ("a folder", "/s/größe", Some("/d"), Some(("/s/größe", "…/größe"))),
        ("a folder, that the variable names too", "/d", Some("/d"), Some(("/d", "…/d"))),
        ("a folder beside the user's home", "/u/éa/x", None, Some(("/u/éa/x", "…/x"))),
        ("another's home", "/u/ö/.dsh", None, Some(("/u/ö/.dsh", "…/.dsh"))),
        ("the top", "/", None, Some(("/", "…"))),
        ("a name that is not one line", "/s/a\nü\\", None, Some(("/s/a\nü\\", r"…/a\u{a}ü\\"))),
        ("the user's home", "~", None, Some(("/u/é", "~"))),
        ("the user's home, absolute", "/u/é/", None, Some(("/u/é", "~"))),
        ("below it", "~/x", None, Some(("/u/é/x", "~/x"))),
        ("below it, absolute", "/u/é/x/../y/ü", None, Some(("/u/é/y/ü", "~/y/ü"))),
        ("below it, with a backslash", r"~\x", None, Some(("/u/é/x", "~/x"))),
        ("below it, whatever stands there", "~//etc", None, Some(("/u/é/etc", "~/etc"))),
        ("the default folder by name", "~/.dsh", None, Some(("/u/é/.dsh", "~/.dsh"))),
        ("the same, absolute", "/u/é/./.dsh", None, Some(("/u/é/.dsh", "~/.dsh"))),
    ];
    for (name, home, variable, expected) in rows {
        let mut set = vec![("HOME", "/u/é")];
        set.extend(variable.map(|value| ("DSH_HOME", value)));
        let found = resolve(home, &variables(&set));
        let expected = expected.map(|(dir, shown)| (dir.to_owned(), shown.to_owned()));
        assert_eq!(found, Ok(expected), "{name}");
    }
}

#[test]
fn without_a_users_home_the_default_is_none_and_a_tilde_is_an_error() {
    let nowhere = variables(&[]);
    assert_eq!(resolve("dsh", &nowhere), Ok(None), "nobody asked for it");
    assert_eq!(
        resolve("~/x", &nowhere).unwrap_err(),
        "`home` is \"~/x\", expected a folder that can be known: `~` needs HOME to be set, to an absolute path \
         (configuration)"
    );
    let relative = variables(&[("HOME", "u"), ("DSH_HOME", "d\nü")]);
    assert_eq!(resolve("~", &relative).unwrap_err().lines().count(), 1);
    assert_eq!(
        resolve("dsh", &relative).unwrap_err(),
        "`DSH_HOME` is \"d\\nü\", expected a folder: absolute, or below `~` (variable DSH_HOME)"
    );
}

#[test]
fn ceilings_below_the_users_home_are_absolute_once_loaded() {
    let sources = standing_orders::config::Sources::new()
        .text("/a", "max_bytes = 1\nceiling_directories = ['~', '~/é', '/x']");
    let config = sources.clone().environment(variables(&[("HOME", "/u")])).load().unwrap();
    let paths: Vec<_> = config.ceiling_directories.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(paths, ["/u", "/u/é", "/x"]);
    let (settings, warnings) = sources.load().unwrap().settings();
    assert_eq!(settings.root.ceilings.len(), 1);
    assert_eq!(warnings.len(), 2, "without a home the two are relative, and said to be ignored");
}
