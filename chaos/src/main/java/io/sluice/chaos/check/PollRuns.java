package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import java.util.HashMap;
import java.util.Map;

/// Goes through the polls of every reader, partition by partition, and shows each with the one before it in the same run.
///
/// A run ends where the reader begins again, as a group's member does after a rebalance.
final class PollRuns {
    private record Key(String reader, int partition) {}

    /// Looks at two polls that followed each other.
    interface Look {
        void at(Event.Polled before, Event.Polled after);
    }

    private PollRuns() {}

    static void walk(History history, Look look) {
        Map<Key, Event.Polled> latest = new HashMap<>();
        history.forEach(
                event -> {
                    if (event instanceof Event.Resumed resumed) {
                        latest.remove(new Key(resumed.reader(), resumed.partition()));
                    } else if (event instanceof Event.Polled polled) {
                        Event.Polled before =
                                latest.put(new Key(polled.reader(), polled.partition()), polled);
                        if (before != null) {
                            look.at(before, polled);
                        }
                    }
                });
    }
}
