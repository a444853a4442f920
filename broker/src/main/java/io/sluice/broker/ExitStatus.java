package io.sluice.broker;

/// What the exit code of `sluice up` tells whoever has started it: a service manager starts again what may pass, and not what somebody has to mend (`deploy/sluice.service`).
enum ExitStatus {
    /// It may pass: a port is taken, the ensemble does not answer, a disk has failed.
    FAILED(1),
    /// A setting makes no sense.
    USAGE(2),
    /// `EX_CONFIG` of `sysexits.h`: the settings are understood, and this broker has no place with them: its id is another's, its data another cluster's or another node's.
    REFUSED(78);

    private final int code;

    ExitStatus(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
