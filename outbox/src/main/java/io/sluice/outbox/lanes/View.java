package io.sluice.outbox.lanes;

import java.util.Collections;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// The members that are alive, by number, and the owner of each owned lane.
///
/// Immutable.
///
/// @param lanes how many lanes there are
/// @param mode where events are to be read
public record View(
        NavigableSet<Long> members, SortedMap<Integer, Long> owners, int lanes, Mode mode) {
    public View {
        members = Collections.unmodifiableNavigableSet(new TreeSet<>(members));
        owners = Collections.unmodifiableSortedMap(new TreeMap<>(owners));
    }

    /// Lanes that nobody alive owns.
    public int uncovered() {
        int covered = 0;
        for (Map.Entry<Integer, Long> owner : owners.entrySet()) {
            if (members.contains(owner.getValue())) {
                covered++;
            }
        }
        return lanes - covered;
    }

    /// Owners that are no longer members: their lanes may be taken.
    public NavigableSet<Long> gone() {
        NavigableSet<Long> gone = new TreeSet<>(owners.values());
        gone.removeAll(members);
        return gone;
    }

    /// The next member in the ring, whose death this one has to notice.
    public OptionalLong neighbour(long self) {
        Long next = members.higher(self);
        if (next == null) {
            next = members.isEmpty() ? null : members.first();
        }
        return next == null || next == self ? OptionalLong.empty() : OptionalLong.of(next);
    }
}
