package io.sluice.outbox.publishing;

import io.sluice.outbox.lanes.Numbered;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// The way to the broker, with one of the two guarantees.
///
/// Used by one thread.
public interface Sender extends AutoCloseable {
    /// Sends all, waits for all; ends early at the first refusal, or when `goOn` says no.
    ///
    /// @param behind asked once all is handed over, while the broker has not answered everything yet; not where something has failed before. What it names may be
    ///     sent behind these without waiting for their answers: it is what is published next, unless it is called back
    /// @throws SQLException if it has to be asked whether they are ours to publish, and the database does not say
    Outcome publish(List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind)
            throws SQLException, InterruptedException;

    default Outcome publish(List<Numbered> events, BooleanSupplier goOn)
            throws SQLException, InterruptedException {
        return publish(events, goOn, List::of);
    }

    /// Nothing more of what was to be sent behind the last events leaves from here; what has left already may arrive.
    default void callBack() {}

    /// Finds the broker and its topic, which takes long at the first event.
    ///
    /// @return why no event can be published now: the broker cannot be reached, or says that a setting is wrong
    Optional<Refusal> prepare();

    /// This relay has a new seat, and with it perhaps other lanes.
    default void seated(long member) {}

    /// Lanes have come: what is known about how far they are may be out of date.
    default void lanesChanged() {}

    /// Makes sure that these dead members can no longer write anything, before their lanes are taken. Where nobody can make sure of that, what one of them holds that was only
    /// frozen may still arrive: repetitions, behind newer events.
    ///
    /// @return whether it is sure
    default boolean fence(Collection<Long> members) {
        return true;
    }

    @Override
    void close();
}
