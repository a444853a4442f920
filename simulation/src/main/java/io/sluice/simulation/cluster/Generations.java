package io.sluice.simulation.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// The topics that had the same name one after the other, by what the store has shown.
///
/// An id does not tell whether it is newer than another one. Clients ask here where real ones would be set straight in the end. Owned by its run.
public final class Generations {
    private final Map<String, List<UUID>> topics = new HashMap<>();
    private final Set<UUID> present = new HashSet<>();

    void made(String name, UUID topic) {
        if (present.add(topic)) {
            topics.computeIfAbsent(name, _ -> new ArrayList<>()).add(topic);
        }
    }

    void deleted(UUID topic) {
        present.remove(topic);
    }

    /// The topic is in the plan at this moment.
    public boolean isPresent(UUID topic) {
        return present.contains(topic);
    }

    /// Whoever knows the one has no use for the other any more.
    public boolean isNewer(String name, UUID topic, UUID than) {
        List<UUID> all = topics.getOrDefault(name, Collections.emptyList());
        return all.indexOf(topic) > all.indexOf(than);
    }

    /// What a broker says of this name is said of one topic.
    public boolean isUnambiguous(String name) {
        return topics.getOrDefault(name, Collections.emptyList()).size() <= 1;
    }
}
