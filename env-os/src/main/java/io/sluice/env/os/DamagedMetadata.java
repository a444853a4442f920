package io.sluice.env.os;

/// Metadata that was durable can no longer be read: going on without it would silently undo what was decided.
public final class DamagedMetadata extends RuntimeException {
    public DamagedMetadata(String path, long position, String what) {
        super(
                "The metadata file "
                        + path
                        + " is damaged at byte "
                        + position
                        + ": "
                        + what
                        + ". The broker does not start with it, because it would lose topics or settings without"
                        + " a word; restore the file from a backup.");
    }
}
