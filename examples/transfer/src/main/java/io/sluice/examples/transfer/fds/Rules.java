package io.sluice.examples.transfer.fds;

import io.sluice.examples.transfer.Transfer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What makes a transfer suspicious: a large amount, or many transfers of one account in a short time. The second one needs the events of an
/// account in their order.
///
/// Owned by the consumer's thread.
final class Rules {
    static final long LARGE = 10_000_000;
    static final int MANY = 5;
    static final Duration SHORT = Duration.ofMinutes(1);

    private final Map<String, Deque<Instant>> recent = new HashMap<>();

    List<String> check(Transfer transfer) {
        List<String> reasons = new ArrayList<>();
        if (transfer.amount() >= LARGE) {
            reasons.add("%,d at once".formatted(transfer.amount()));
        }
        Deque<Instant> times = recent.computeIfAbsent(transfer.from(), _ -> new ArrayDeque<>());
        times.addLast(transfer.at());
        while (times.getFirst().isBefore(transfer.at().minus(SHORT))) {
            times.removeFirst();
        }
        if (times.size() > MANY) {
            reasons.add("%d transfers within a minute".formatted(times.size()));
        }
        return reasons;
    }
}
