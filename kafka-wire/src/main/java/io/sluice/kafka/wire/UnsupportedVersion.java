package io.sluice.kafka.wire;

/// A message was read or written in a version that does not exist or that cannot express it.
///
/// On the read side the peer's fault (answer `UNSUPPORTED_VERSION`), on the write side ours.
public final class UnsupportedVersion extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnsupportedVersion(String message) {
        super(message);
    }

    /// The version lies outside of what the schema of the message defines.
    public static UnsupportedVersion ofMessage(
            String message, short version, int lowest, int highest) {
        return new UnsupportedVersion(
                message + " has no version " + version + ", only " + lowest + " to " + highest);
    }

    /// The version has no place for a field that holds something else than its default.
    public static UnsupportedVersion ofField(String message, String field, short version) {
        return new UnsupportedVersion(
                message
                        + " version "
                        + version
                        + " has no field "
                        + field
                        + ": leave it at its default or use another version");
    }

    /// A field is null that may be null in other versions of the message, but not in this one.
    public static UnsupportedVersion ofNull(String message, String field, short version) {
        return new UnsupportedVersion(
                message + " version " + version + " cannot express null in field " + field);
    }
}
