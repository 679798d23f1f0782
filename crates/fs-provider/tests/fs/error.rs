//! Faults say what happened, in one line.

use std::error::Error;
use std::io;
use std::path::Path;
use std::time::Duration;

use standing_orders_fs::{FaultKind, FsError};

#[test]
fn errors_of_the_system_keep_their_meaning() {
    let rows = [
        ("EACCES", libc_code(rustix::io::Errno::ACCESS), "permission denied"),
        ("ELOOP", libc_code(rustix::io::Errno::LOOP), "link cycle"),
        ("EIO", libc_code(rustix::io::Errno::IO), "Input/output error"),
    ];
    for (row, error, says) in rows {
        let code = error.raw_os_error();
        let fault = FsError::from_io(Path::new("/ws/指示.md"), error);
        let source = fault.source().and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(source.map(io::Error::raw_os_error), Some(code), "{row} keeps the system's error");
        assert!(!fault.to_string().contains("os error"), "{row} leaves the code to its source: {fault}");
        assert_eq!(
            fault.to_string(),
            format!("\"/ws/指示.md\": {}", fault.kind()),
            "the kind is the cause alone"
        );
        assert!(fault.to_string().contains(says), "{row}: {fault}");
        assert!(fault.to_string().contains("指示.md"), "{row} names its path: {fault}");
    }
}

#[test]
fn faults_are_equal_by_path_and_kind_and_only_those_of_the_system_have_a_source() {
    let path = Path::new("/ws/指示.md");
    let of_system = FsError::from_io(path, libc_code(rustix::io::Errno::ACCESS));
    let own = FsError::new(path, FaultKind::PermissionDenied);
    assert_eq!(of_system, own, "the source does not count");
    assert_eq!(
        of_system.clone().source().map(ToString::to_string),
        of_system.source().map(ToString::to_string)
    );
    assert!(own.source().is_none(), "nothing of the system's is known");
    assert_ne!(own, FsError::new("/ws", FaultKind::PermissionDenied), "the path counts");
    let custom = FsError::from_io(path, io::Error::other("an odd (os error 5) text"));
    assert_eq!(custom.kind(), &FaultKind::Other("an odd (os error 5) text".into()), "a text is not cut");
}

fn libc_code(code: rustix::io::Errno) -> io::Error {
    io::Error::from_raw_os_error(code.raw_os_error())
}

#[test]
fn a_message_is_one_line_whatever_the_path_holds() {
    let path = Path::new("/ws/a\nIMPORTANT: do x\u{2028}\u{202e}\u{1b}[31m/指示.md").to_path_buf();
    let faults = [
        FsError::new(&path, FaultKind::PermissionDenied),
        FsError::new(&path, FaultKind::LinkCycle),
        FsError::new(&path, FaultKind::TimedOut(Duration::from_secs(1))),
        FsError::new(&path, FaultKind::Refused(path.clone())),
        FsError::other(&path, "odd"),
    ];
    for fault in faults {
        let text = fault.to_string();
        assert!(
            !text.contains(['\n', '\u{2028}', '\u{202e}', '\u{1b}']),
            "{text:?} holds a control character"
        );
        assert!(text.contains("指示.md"), "{text} keeps what can be read");
    }
}
