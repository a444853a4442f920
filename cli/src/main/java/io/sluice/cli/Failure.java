package io.sluice.cli;

import org.jspecify.annotations.Nullable;

/// The end of a command that could not do its work: a sentence for the person and a code for the script.
///
/// Immutable.
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    public Failure(ExitCode exitCode, String sentence) {
        this(exitCode, sentence, null);
    }

    public Failure(ExitCode exitCode, String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
        this.exitCode = exitCode;
    }

    public static Failure usage(String sentence) {
        return new Failure(ExitCode.USAGE, sentence);
    }

    public static Failure notFound(String sentence) {
        return new Failure(ExitCode.NOT_FOUND, sentence);
    }

    public ExitCode exitCode() {
        return exitCode;
    }
}
