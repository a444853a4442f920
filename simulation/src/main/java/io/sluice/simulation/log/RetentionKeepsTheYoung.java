package io.sluice.simulation.log;

import io.sluice.env.Clock;
import io.sluice.log.PartitionLog;
import io.sluice.log.TopicSettings;

/// Retention takes only what is older than the limit, or what is too much; and nothing that is not acknowledged.
record RetentionKeepsTheYoung(LogModel model, TopicSettings.Retention settings, Clock clock)
        implements LogInvariant {
    @Override
    public void retained(PartitionLog log) {
        require(
                log.startOffset() <= Math.max(model.acknowledged(), model.start()),
                log + " lost what was not acknowledged; that ends at " + model.acknowledged());
        for (ModelBatch batch : model.batches()) {
            boolean goes =
                    batch.baseOffset() >= model.start() && batch.nextOffset() <= log.startOffset();
            if (goes && !(settings.deletes() && (isTooMuch(batch) || isOld(batch)))) {
                throw broken(
                        batch
                                + " was deleted from "
                                + log
                                + ", which has "
                                + log.sizeInBytes()
                                + " bytes");
            }
        }
    }

    /// As much as is wanted lies behind it, even if some of that goes at the same time for its age.
    private boolean isTooMuch(ModelBatch batch) {
        long behind = 0;
        for (ModelBatch other : model.batches()) {
            behind += other.baseOffset() > batch.baseOffset() ? other.bytes().remaining() : 0;
        }
        return settings.bytes() >= 0 && behind >= settings.bytes();
    }

    private boolean isOld(ModelBatch batch) {
        return settings.millis() >= 0
                && clock.wallMillis() - batch.header().maxTimestamp() > settings.millis();
    }
}
