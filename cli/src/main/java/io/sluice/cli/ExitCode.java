package io.sluice.cli;

/// What the command's end tells a script. The numbers are part of the interface; see docs/cli.md.
///
/// Immutable.
public enum ExitCode {
    OK(0),
    FAILED(1),
    /// The command line makes no sense.
    USAGE(2),
    /// What was named does not exist, or there was nothing to show.
    NOT_FOUND(3),
    TIMEOUT(4),
    UNAUTHORISED(5),
    /// Some of it was done, some not; the message says what.
    PARTIAL(6);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
