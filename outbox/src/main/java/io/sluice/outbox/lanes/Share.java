package io.sluice.outbox.lanes;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// What one member should do about the lanes it owns: take some, or give some away.
///
/// Every member decides for itself and needs nobody's consent. With n members each has a quota of lanes/n, and the oldest members
/// have the remainder. Who has too many gives lanes away when they are at rest; who has too few takes what nobody owns. So
/// lanes move only where they must, and all the others go on.
///
/// In wal mode one member has them all.
///
/// Immutable.
///
/// @param take how many lanes to claim
/// @param give lanes to give away
public record Share(int take, List<Integer> give) {
    public static final Share AS_IT_IS = new Share(0, List.of());

    public Share {
        give = List.copyOf(give);
    }

    public static Share of(View view, long self, Collection<Integer> owned) {
        if (!view.members().contains(self)) {
            return AS_IT_IS; // Not seen by the others yet, so they still count without us.
        }
        int quota = quota(view, self);
        if (owned.size() > quota) {
            // The highest numbers: any would do, but a test can foresee these.
            List<Integer> sorted = new ArrayList<>(owned);
            sorted.sort(null);
            return new Share(0, sorted.subList(quota, sorted.size()));
        }
        return new Share(Math.min(quota - owned.size(), view.uncovered()), List.of());
    }

    private static int quota(View view, long self) {
        int members = view.members().size();
        switch (view.mode()) {
            case COMPAT -> {
                return 0;
            }
            case WAL -> {
                // One stream for all lanes: whoever has been there longest, so that it moves least.
                return view.members().first() == self ? view.lanes() : 0;
            }
            case LOG -> {}
        }
        int rank = view.members().headSet(self).size();
        return view.lanes() / members + (rank < view.lanes() % members ? 1 : 0);
    }
}
