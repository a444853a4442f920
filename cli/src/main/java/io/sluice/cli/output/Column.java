package io.sluice.cli.output;

/// A column of a listing: the key for programs, the heading for people.
///
/// @param width the least width in a stream, whose rows cannot wait for each other to be measured
///
/// Immutable.
public record Column(String key, String heading, int width) {

    public static Column of(String key, String heading) {
        return new Column(key, heading, 0);
    }

    public static Column of(String key, String heading, int width) {
        return new Column(key, heading, width);
    }
}
