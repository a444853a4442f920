package io.sluice.partition;

/// How far a check of a partition's closed segments has come. Immutable.
///
/// @param segment first offset of the segment to go on in; [#END] when all have been checked
/// @param position in it
/// @param bytes that were read for this step
public record ScrubStep(long segment, int position, long bytes) {
    public static final long END = -1;
    public static final ScrubStep BEGINNING = new ScrubStep(0, 0, 0);
    static final ScrubStep ENDED = new ScrubStep(END, 0, 0);

    public boolean isEnd() {
        return segment == END;
    }
}
