package io.sluice.outbox.operating;

import io.sluice.outbox.compat.Seat;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A part of compat mode's: the events whose id has this remainder.
///
/// Immutable.
///
/// @param total how many parts there are
/// @param instance who works on it, its own or another one in its place; null if nobody does
public record PartState(int part, int total, @Nullable Integer instance) {
    public boolean isCovered() {
        return instance != null;
    }

    /// What instances divide the table into: of the total of those who work. Where nobody does, of every total that one of them believes in.
    public static List<PartState> of(List<Seat> seats) {
        SortedSet<Integer> worked = totals(seats, seat -> !seat.parts().isEmpty());
        List<PartState> parts = new ArrayList<>();
        for (int total : worked.isEmpty() ? totals(seats, seat -> true) : worked) {
            for (int part = 0; part < total; part++) {
                parts.add(new PartState(part, total, worker(seats, part)));
            }
        }
        return parts;
    }

    private static SortedSet<Integer> totals(List<Seat> seats, Predicate<Seat> which) {
        return seats.stream()
                .filter(which)
                .map(Seat::total)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static @Nullable Integer worker(List<Seat> seats, int part) {
        for (Seat seat : seats) {
            if (seat.parts().contains(part)) {
                return seat.instance();
            }
        }
        return null;
    }
}
