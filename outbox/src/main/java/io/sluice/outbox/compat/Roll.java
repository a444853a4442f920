package io.sluice.outbox.compat;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// Who is there at one moment, what they believe in, and what they work on.
///
/// Parts of one total overlap with those of another, so at every moment only one total has parts that somebody works on ([Parts]).
///
/// Immutable.
///
/// @param seats in the order of their ids
record Roll(List<Seat> seats) {
    Roll {
        seats = List.copyOf(seats);
    }

    /// The totals that running instances believe in; more than one is a mistake, or a change on its way.
    SortedSet<Integer> totals() {
        return seats.stream().map(Seat::total).collect(Collectors.toCollection(TreeSet::new));
    }

    /// The total of those who work; empty if nobody does.
    Optional<Integer> worked() {
        return seats.stream().filter(seat -> !seat.parts().isEmpty()).map(Seat::total).findFirst();
    }

    /// The ids of the instances with this total, whether they have their part or wait for it.
    SortedSet<Integer> present(int total) {
        return seats.stream()
                .filter(with(total))
                .map(Seat::instance)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// The parts of this total that somebody works on.
    SortedSet<Integer> covered(int total) {
        return seats.stream()
                .filter(with(total))
                .map(Seat::parts)
                .flatMap(Collection::stream)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// Who believes in which total, for people.
    String beliefs() {
        return seats.stream()
                .map(seat -> "instance %d says %d".formatted(seat.instance(), seat.total()))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private static Predicate<Seat> with(int total) {
        return seat -> seat.total() == total;
    }
}
