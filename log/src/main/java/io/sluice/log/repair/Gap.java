package io.sluice.log.repair;

/// Bytes of a segment that cannot be read, and the offsets that were in them. Both ranges are half-open. Immutable.
///
/// @param position where the bytes begin: a batch boundary
/// @param endPosition where the next sound batch begins, or the end of the segment
/// @param fromOffset behind the last sound batch in front
/// @param toOffset of the next sound batch, or the end of the segment
public record Gap(int position, int endPosition, long fromOffset, long toOffset) {
    public int sizeInBytes() {
        return endPosition - position;
    }
}
