package io.sluice.chaos.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Cuts cut what they say and nothing else, whatever makes them: as processes at the brokers' places see it, and the clients.
abstract class CutsContract {
    private static final int BROKERS = 3;

    /// Why this machine cannot have the place; absent when it can.
    abstract @Nullable String obstacle();

    abstract Place place(int brokers);

    @Test
    void aCutIsOneWayAndHealingTakesItBack() throws InterruptedException {
        try (Place place = allowed()) {
            Cuts cuts = cuts(place);
            assertThat(reached(place, 1)).isEqualTo(clientPorts(place, 2, 3));
            assertThat(reached(place, Cuts.CLIENTS)).isEqualTo(clientPorts(place, 1, 2, 3));

            cuts.cut(1, 2);
            assertThat(reached(place, 1)).isEqualTo(clientPorts(place, 3));
            // The other direction is open, but an answer would have to come back by the cut one.
            assertThat(reached(place, 2)).isEqualTo(clientPorts(place, 3));
            assertThat(reached(place, 3)).isEqualTo(clientPorts(place, 1, 2));
            assertThat(reached(place, Cuts.CLIENTS)).isEqualTo(clientPorts(place, 1, 2, 3));

            cuts.healAll();
            assertThat(reached(place, 1)).isEqualTo(clientPorts(place, 2, 3));
        }
    }

    @Test
    void aBrokerIsCutOffFromItsClientsAlone() throws InterruptedException {
        try (Place place = allowed()) {
            cuts(place).cutBoth(1, Cuts.CLIENTS);
            assertThat(reached(place, Cuts.CLIENTS)).isEqualTo(clientPorts(place, 2, 3));
            assertThat(reached(place, 1)).isEqualTo(clientPorts(place, 2, 3));
        }
    }

    @Test
    void onlyTheStoresPortsAreCut() {
        try (Place place = allowed()) {
            cuts(place).cutStore(1, 2);
            for (Port port : List.of(Port.ENSEMBLE_PEERS, Port.ENSEMBLE_CLIENTS)) {
                assertThat(Reach.from(1, place, addresses(place, port, 2, 3)))
                        .containsExactlyElementsOf(addresses(place, port, 3));
                assertThat(Reach.from(2, place, addresses(place, port, 1, 3)))
                        .containsExactlyElementsOf(addresses(place, port, 3));
            }
            List<String> others = addresses(place, Port.CLIENTS, 2, 3);
            assertThat(Reach.from(1, place, others)).containsExactlyInAnyOrderElementsOf(others);
        }
    }

    private Place allowed() {
        String obstacle = obstacle();
        assumeTrue(obstacle == null, () -> "skipped: " + obstacle);
        return place(BROKERS);
    }

    private static Cuts cuts(Place place) {
        Cuts cuts = place.cuts();
        if (cuts == null) {
            throw new AssertionError(place.description() + " cuts nothing");
        }
        return cuts;
    }

    /// Of all the others' ports for clients.
    private static Set<String> reached(Place place, int from) throws InterruptedException {
        int[] others = IntStream.rangeClosed(1, BROKERS).filter(other -> other != from).toArray();
        List<String> addresses = addresses(place, Port.CLIENTS, others);
        return from == Cuts.CLIENTS ? Reach.from(addresses) : Reach.from(from, place, addresses);
    }

    private static Set<String> clientPorts(Place place, int... brokers) {
        return new TreeSet<>(addresses(place, Port.CLIENTS, brokers));
    }

    private static List<String> addresses(Place place, Port port, int... brokers) {
        return IntStream.of(brokers).mapToObj(broker -> place.address(broker, port)).toList();
    }
}
