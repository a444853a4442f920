package io.sluice.outbox.consuming;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/// Drops events that a consumer already has: one number per lane is all it remembers.
///
/// A relay that takes over repeats events with the numbers they had, and numbers of a lane only grow in a partition. So what is not
/// above the highest number seen is a repetition. One filter per partition; keep its [#state] where the consumer keeps its
/// offset (as the offset's metadata, or in the same database transaction), and begin with it after a rebalance.
///
/// Events without a key all pass, repetitions as well: producers put each into whichever partition they like, so one that is repeated may come to another partition
/// than before, behind later ones of its lane. Compare their `outbox-event-id`, if it matters.
///
/// ```java
/// if (filter.isNew(record)) { work(record); }
/// commit(offset + 1, filter.state()); // Not automatically: that would commit what was read, done or not.
/// ```
/// Owned by the consumer's thread.
public final class DuplicateFilter {
    private static final String LANE = "outbox-lane";
    private static final String SEQUENCE = "outbox-sequence";
    private static final String REPLAY = "outbox-replay";

    private final Map<Integer, Long> highest = new TreeMap<>();

    /// Begins with nothing seen.
    public DuplicateFilter() {}

    /// @param state what [#state] gave; empty or null for nothing
    public static DuplicateFilter from(@Nullable String state) {
        DuplicateFilter filter = new DuplicateFilter();
        if (state != null && !state.isBlank()) {
            for (String entry : state.split(",")) {
                String[] pair = entry.split(":");
                if (pair.length != 2) {
                    throw new IllegalArgumentException(
                            "'%s' is no state of a duplicate filter: lane:number,… was expected"
                                    .formatted(state));
                }
                filter.highest.put(Integer.valueOf(pair[0]), Long.valueOf(pair[1]));
            }
        }
        return filter;
    }

    /// Whether the event comes for the first time. Records that no relay has sent are always new, and so are those of a replay, and those without a key.
    public boolean isNew(ConsumerRecord<?, ?> record) {
        Header lane = record.headers().lastHeader(LANE);
        Header sequence = record.headers().lastHeader(SEQUENCE);
        return lane == null
                || sequence == null
                || record.headers().lastHeader(REPLAY) != null
                || record.key() == null
                || isNew(Math.toIntExact(decimal(lane)), decimal(sequence));
    }

    boolean isNew(int lane, long sequence) {
        Long before = highest.get(lane);
        if (before != null && sequence <= before) {
            return false;
        }
        highest.put(lane, sequence);
        return true;
    }

    /// `lane:number,…`; with 64 lanes at most some 1,300 characters, well below what an offset's metadata may hold.
    public String state() {
        StringBuilder state = new StringBuilder();
        highest.forEach(
                (lane, sequence) ->
                        state.append(state.isEmpty() ? "" : ",")
                                .append(lane)
                                .append(':')
                                .append(sequence));
        return state.toString();
    }

    private static long decimal(Header header) {
        return Long.parseLong(new String(header.value(), StandardCharsets.US_ASCII));
    }
}
