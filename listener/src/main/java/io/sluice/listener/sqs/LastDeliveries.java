package io.sluice.listener.sqs;

import io.sluice.listener.message.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// Messages of a FIFO queue that came for the last time and found their lane full. Given back they would be dead, though nobody has tried them; and a copy would come
/// after those that were behind them. So they wait here, leased and in their order, until their lane has room.
///
/// ```
///  lane full ──▶ waiting ──its lane has room──▶ brought in ──▶ has a slot, or waiting again
///                   └────── the listener stops ──▶ given up
/// ```
/// Thread-safe: each call is one step under its lock. [Polls] bounds how many there are.
final class LastDeliveries {
    /// With the lane of each, in the order of their arrival.
    private final Map<Message, String> waiting = new LinkedHashMap<>();

    private Set<Message> broughtIn = Set.of();

    synchronized void keep(Message message, String lane) {
        waiting.put(message, lane);
    }

    synchronized boolean has(Message message) {
        return waiting.containsKey(message) || broughtIn.contains(message);
    }

    synchronized int size() {
        return waiting.size();
    }

    /// Those of the lanes that have room. They are somebody else's when [#arrived] is called.
    ///
    /// @return with the lane of each, in their order
    synchronized Map<Message, String> bringIn(Predicate<String> hasRoom) {
        Map<Message, String> taken = new LinkedHashMap<>();
        waiting.forEach(
                (message, lane) -> {
                    if (hasRoom.test(lane)) {
                        taken.put(message, lane);
                    }
                });
        taken.keySet().forEach(waiting::remove);
        broughtIn = Set.copyOf(taken.keySet());
        return taken;
    }

    synchronized void arrived() {
        broughtIn = Set.of();
    }

    synchronized List<Message> giveUp() {
        List<Message> all = List.copyOf(waiting.keySet());
        waiting.clear();
        return all;
    }
}
