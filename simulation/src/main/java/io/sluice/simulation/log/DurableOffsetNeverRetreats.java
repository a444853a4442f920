package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;

/// While a log is open its durable offset only grows and never passes its end; its start never goes back, not even over a restart.
final class DurableOffsetNeverRetreats implements LogInvariant {
    private final LogModel model;
    private long durable;
    private long start;

    DurableOffsetNeverRetreats(LogModel model) {
        this.model = model;
    }

    @Override
    public void afterEvent(PartitionLog log) {
        require(
                log.durableOffset() >= durable,
                "the durable offset of "
                        + log
                        + " went from "
                        + durable
                        + " to "
                        + log.durableOffset());
        require(
                log.durableOffset() <= log.endOffset(),
                "the durable offset of " + log + " is " + log.durableOffset());
        require(log.startOffset() >= start, "the start of " + log + " was " + start);
        require(log.startOffset() <= log.endOffset(), log + " begins behind its end");
        durable = log.durableOffset();
        start = log.startOffset();
    }

    @Override
    public void reopened(PartitionLog log) {
        require(
                log.startOffset() >= Math.min(model.durableStart(), log.endOffset()),
                log + " begins before its durable start " + model.durableStart());
        require(
                log.startOffset() <= Math.max(model.start(), 0),
                log + " begins behind its start " + model.start());
        durable = 0;
        start = 0;
        afterEvent(log);
    }
}
