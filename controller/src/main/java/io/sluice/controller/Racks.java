package io.sluice.controller;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// In which rack each usable broker is, by its place. Brokers that name none are all apart. Immutable.
final class Racks {
    private static final int NONE = -1;

    private final int[] racks;

    Racks(ClusterView view, List<Integer> usable) {
        List<String> names =
                usable.stream().map(id -> rack(view.findBroker(id))).distinct().toList();
        racks = new int[usable.size()];
        for (int place = 0; place < racks.length; place++) {
            String name = rack(view.findBroker(usable.get(place)));
            racks[place] = name.isEmpty() ? NONE : names.indexOf(name);
        }
    }

    private static String rack(@Nullable BrokerView broker) {
        return broker == null || broker.rack() == null ? "" : broker.rack();
    }

    /// How many other replicas of the partition would be in the rack of this place, were the one at another place not there.
    int beside(Arrangement one, int without, int place) {
        int beside = 0;
        for (int i = 0; i < one.size() && racks[place] != NONE; i++) {
            int other = one.place(i);
            boolean counts = other != Arrangement.NOWHERE && other != without && other != place;
            beside += counts && racks[other] == racks[place] ? 1 : 0;
        }
        return beside;
    }
}
