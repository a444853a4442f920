package io.sluice.benchmarks.peer;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Where the brokers of one peer live together: one place, or one for each broker of a cluster.
///
/// Immutable.
public record Site(List<Place> places) {
    private static final int REPLICAS_MAX = 3;

    public Site {
        places = List.copyOf(places);
    }

    /// Empty folders beside each other, named after `name`, with ports that are free now.
    public static Site empty(Path parent, String name, int nodes) {
        List<Place> places = new ArrayList<>();
        int firstPort = Place.FIRST_PORT;
        for (int id = 1; id <= nodes; id++) {
            Path folder = parent.resolve(nodes == 1 ? name : name + "-" + id);
            Place place = Place.empty(id, folder, firstPort);
            firstPort = place.ports().getLast() + 1;
            places.add(place);
        }
        return new Site(places);
    }

    public boolean isCluster() {
        return places.size() > 1;
    }

    /// How many replicas the topics of the benchmark have here.
    public int replicas() {
        return Math.min(REPLICAS_MAX, places.size());
    }

    /// How many of them must have a message before it is acknowledged.
    public int minInSync() {
        return replicas() / 2 + 1;
    }

    /// Every broker's address, for clients.
    public String bootstrap() {
        return places.stream().map(Place::bootstrap).collect(Collectors.joining(","));
    }

    public List<InetSocketAddress> addresses() {
        return places.stream().map(Place::address).toList();
    }

    /// Gives the disk back.
    public void delete() {
        places.forEach(Place::delete);
    }
}
