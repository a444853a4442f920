package io.sluice.env.os;

import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Turns what Java says about a failed file operation into a kind and a sentence for people.
///
/// Immutable.
record DiskFailure(Path root) {
    private static final String NO_SPACE = "No space left on device";
    private static final String NO_QUOTA = "Disk quota exceeded";
    private static final String TOO_MANY_OPEN = "Too many open files";

    /// `what` reads as the rest of "Cannot …": `write 100 bytes at 4096 to`.
    DiskException of(String what, String path, IOException cause) {
        return of(what, path, cause, 0);
    }

    /// `neededBytes` is how much room the operation wanted, 0 when it wanted none.
    DiskException of(String what, String path, IOException cause, long neededBytes) {
        Kind kind = kindOf(cause, neededBytes);
        return new DiskException(kind, path, sentence(what, path, kind, reason(cause)), cause);
    }

    DiskException of(Kind kind, String what, String path, String reason) {
        return new DiskException(kind, path, sentence(what, path, kind, reason));
    }

    private String sentence(String what, String path, Kind kind, String reason) {
        String happened = "Cannot " + what + " " + root.resolve(path) + ": " + reason + ".";
        return switch (kind) {
            case FULL -> happened + " Free some room on this disk; writing then goes on by itself.";
            case NOT_FOUND -> happened;
            case TOO_MANY_OPEN ->
                    happened + " Allow the broker more open files (ulimit -n, LimitNOFILE=).";
            case IO -> happened + " Look at the system log for errors of this disk.";
        };
    }

    private Kind kindOf(IOException cause, long neededBytes) {
        if (cause instanceof NoSuchFileException) {
            return Kind.NOT_FOUND;
        }
        String text = String.valueOf(cause.getMessage());
        if (text.contains(NO_SPACE) || text.contains(NO_QUOTA) || hasNoRoomFor(neededBytes)) {
            return Kind.FULL;
        }
        if (text.contains(TOO_MANY_OPEN)) {
            return Kind.TOO_MANY_OPEN;
        }
        return Kind.IO;
    }

    /// The system's words come in the user's language, so that the text alone does not tell a full disk from a broken one.
    private boolean hasNoRoomFor(long neededBytes) {
        if (neededBytes == 0) {
            return false;
        }
        try {
            return Files.getFileStore(root).getUsableSpace() < neededBytes;
        } catch (IOException _) {
            return false;
        }
    }

    private static String reason(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "there is no such file or directory";
        }
        if (cause instanceof ClosedByInterruptException) {
            return "its thread was interrupted, which is a bug of this program";
        }
        if (cause instanceof FileSystemException failure && failure.getReason() != null) {
            return failure.getReason();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
