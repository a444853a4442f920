package io.sluice.outbox;

import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.Round;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/// A round as work for [Dispatch].
///
/// @param next asked while it is with the producer: what may be sent behind it
/// Owned by the publishing thread.
record RoundWork(
        Connection connection, Round round, RefusedEvents refused, Supplier<List<Numbered>> next)
        implements Dispatch.Work {
    RoundWork(Connection connection, Round round, RefusedEvents refused) {
        this(connection, round, refused, List::of);
    }

    @Override
    public List<Numbered> toSend() {
        return round.toSend();
    }

    @Override
    public void acknowledged(Collection<Numbered> events) {
        round.acknowledged(events);
    }

    @Override
    public void refused(Numbered event, String reason) throws SQLException {
        if (refused.park(connection, event, reason, round.behind(event.event()))) {
            round.parked(event.event());
        } else {
            round.leave(event.event().lane());
        }
    }

    @Override
    public void leave(int lane) {
        round.stop(lane);
    }

    @Override
    public List<Numbered> behind() {
        return next.get();
    }
}
