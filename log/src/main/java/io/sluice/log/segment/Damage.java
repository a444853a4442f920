package io.sluice.log.segment;

/// A stretch of a file that was durable and cannot be read any more. Immutable.
///
/// @param file relative to the data directory
/// @param endPosition where the next sound batch begins, or the end of the file
/// @param sentence what is wrong, for a person
public record Damage(String file, long position, long endPosition, String sentence) {
    @Override
    public String toString() {
        return file + " at " + position + ": " + sentence;
    }
}
