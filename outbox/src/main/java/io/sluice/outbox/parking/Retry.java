package io.sluice.outbox.parking;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;

/// A retry of parked keys: first the refused events, then, for each that went through, those that waited behind it.
///
/// Its events get new numbers, above all that their lanes have given, so that a consumer that drops what it has seen does not drop
/// them. Numbers are saved before anything is sent; whoever finds events that have one sends them again with it.
///
/// Owned by the publishing thread.
public final class Retry {
    private final Map<Long, ParkedEvent> parked = new HashMap<>();
    private final List<Numbered> heads = new ArrayList<>();
    private final List<Numbered> followers = new ArrayList<>();
    private final Set<Long> sent = new HashSet<>();
    private final Map<String, Long> closedFrom = new HashMap<>();

    private Retry() {}

    /// Gives numbers to events that have none. Where a lane has events with a number, only those are sent now.
    ///
    /// No head of a lane has a higher number than one of its followers, which are sent after it. Of those that have numbers already some heads may be gone,
    /// so the first event of a key need not have been one.
    ///
    /// @param due as [ParkingLot#due] has them
    /// @param next gives a lane's next number
    public static Retry of(List<ParkedEvent> due, IntToLongFunction next) {
        Set<Integer> begun = new HashSet<>();
        due.stream()
                .filter(event -> event.sequence() != null)
                .forEach(event -> begun.add(event.event().lane()));
        List<ParkedEvent> now =
                due.stream()
                        .filter(p -> p.sequence() != null || !begun.contains(p.event().lane()))
                        .toList();
        Retry retry = new Retry();
        Set<String> keys = new HashSet<>();
        Set<Integer> repeating = new HashSet<>();
        List<ParkedEvent> later = new ArrayList<>();
        for (ParkedEvent event : now) {
            int lane = event.event().lane();
            boolean first = keys.add(event.event().key());
            if (!first && event.sequence() != null) {
                repeating.add(lane);
            }
            if (first && !repeating.contains(lane)) {
                retry.heads.add(retry.number(event, next));
            } else {
                later.add(event);
            }
        }
        later.forEach(event -> retry.followers.add(retry.number(event, next)));
        Comparator<Numbered> bySequence = Comparator.comparingLong(Numbered::sequence);
        retry.heads.sort(bySequence);
        retry.followers.sort(bySequence);
        return retry;
    }

    private Numbered number(ParkedEvent event, IntToLongFunction next) {
        Long given = event.sequence();
        long sequence = given != null ? given : next.applyAsLong(event.event().lane());
        parked.put(event.event().ord(), event);
        return new Numbered(event.event(), sequence);
    }

    public List<Numbered> all() {
        List<Numbered> all = new ArrayList<>(heads);
        all.addAll(followers);
        return all;
    }

    /// What to send next: heads until none is left, then followers; empty when the retry is over.
    public List<Numbered> toSend() {
        List<Numbered> next = open(heads);
        return next.isEmpty() ? open(followers) : next;
    }

    private List<Numbered> open(List<Numbered> events) {
        return events.stream()
                .filter(e -> !sent.contains(e.event().ord()))
                .filter(
                        e ->
                                e.event().ord()
                                        < closedFrom.getOrDefault(e.event().key(), Long.MAX_VALUE))
                .toList();
    }

    public void acknowledged(Collection<Numbered> events) {
        events.forEach(event -> sent.add(event.event().ord()));
    }

    /// The rest of its key waits on, but for what stands before it and is not acknowledged yet.
    ///
    /// @return what it was before the retry
    public ParkedEvent refused(Numbered event) {
        closedFrom.merge(event.event().key(), event.event().ord(), Math::min);
        ParkedEvent before = parked.get(event.event().ord());
        if (before == null) {
            throw new IllegalArgumentException("not of this retry: " + event);
        }
        return before;
    }

    /// Nothing more of this lane is sent now, and its events keep their numbers.
    public void leave(int lane) {
        parked.values().stream()
                .filter(event -> event.event().lane() == lane)
                .forEach(event -> leave(event.event()));
    }

    /// Nothing of this event's key is sent now.
    public void leave(Event of) {
        closedFrom.put(of.key(), Long.MIN_VALUE);
    }

    public List<ParkedEvent> sent() {
        return sent.stream().map(parked::get).toList();
    }
}
