package io.sluice.outbox.publishing;

import io.sluice.outbox.lanes.Numbered;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// The way to the broker, with one of the two guarantees.
///
/// Used by one thread.
public interface Sender extends AutoCloseable {
    /// Sends all, waits for all; ends early at the first refusal, or when `goOn` says no.
    ///
    /// @param underWay run once all is handed over, while the broker has not answered everything yet; not where something has failed before
    Outcome publish(List<Numbered> events, BooleanSupplier goOn, Runnable underWay)
            throws InterruptedException;

    default Outcome publish(List<Numbered> events, BooleanSupplier goOn)
            throws InterruptedException {
        return publish(events, goOn, () -> {});
    }

    /// Finds the broker and its topic, which takes long at the first event.
    ///
    /// @return why no event can be published now: the broker cannot be reached, or says that a setting is wrong
    Optional<Refusal> prepare();

    /// This relay has a new seat, and with it perhaps other lanes.
    default void seated(long member) {}

    /// Lanes have come: what is known about how far they are may be out of date.
    default void lanesChanged() {}

    /// Makes sure that these dead members can no longer write anything, before their lanes are taken.
    ///
    /// @return whether it is sure
    default boolean fence(Collection<Long> members) {
        return true;
    }

    @Override
    void close();
}
