package io.sluice.env;

import org.jspecify.annotations.Nullable;

/// The disk failed us. Carries what was tried on which path, for a person to read.
public final class DiskException extends RuntimeException {
    private final Kind kind;
    private final String path;

    public DiskException(Kind kind, String path, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.path = path;
    }

    public DiskException(Kind kind, String path, String message) {
        this(kind, path, message, null);
    }

    public Kind kind() {
        return kind;
    }

    public String path() {
        return path;
    }

    public enum Kind {
        /// No room left. Writing may work again later.
        FULL,
        NOT_FOUND,
        /// Too many files are open. Nothing is wrong with the disk, and it may work later.
        TOO_MANY_OPEN,
        /// The device or the file system reported an error.
        IO
    }
}
