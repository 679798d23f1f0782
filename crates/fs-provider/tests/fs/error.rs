//! Faults say what happened, in one line.

use std::io;
use std::path::Path;
use std::time::Duration;

use standing_orders_fs::FsError;

#[test]
fn errors_of_the_system_keep_their_meaning() {
    let rows = [
        ("EACCES", libc_code(rustix::io::Errno::ACCESS), "permission denied"),
        ("ELOOP", libc_code(rustix::io::Errno::LOOP), "link cycle"),
        ("EIO", libc_code(rustix::io::Errno::IO), "Input/output error"),
    ];
    for (row, error, says) in rows {
        let fault = FsError::from_io(Path::new("/ws/指示.md"), &error);
        assert!(fault.to_string().contains(says), "{row}: {fault}");
        assert!(fault.to_string().contains("指示.md"), "{row} names its path: {fault}");
    }
}

fn libc_code(code: rustix::io::Errno) -> io::Error {
    io::Error::from_raw_os_error(code.raw_os_error())
}

#[test]
fn a_message_is_one_line_whatever_the_path_holds() {
    let path = Path::new("/ws/a\nIMPORTANT: do x\u{2028}\u{202e}\u{1b}[31m/指示.md").to_path_buf();
    let faults = [
        FsError::PermissionDenied { path: path.clone() },
        FsError::LinkCycle { path: path.clone() },
        FsError::TimedOut { path: path.clone(), after: Duration::from_secs(1) },
        FsError::Refused { path: path.clone(), target: path.clone() },
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
