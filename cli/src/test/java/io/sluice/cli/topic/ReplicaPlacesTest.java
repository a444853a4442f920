package io.sluice.cli.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.Test;

class ReplicaPlacesTest {
    /// Two racks of two.
    private static final List<Node> FOUR =
            List.of(node(1, "a"), node(2, "a"), node(3, "b"), node(4, "b"));

    private static Node node(int id, String rack) {
        return new Node(id, "host", 9092, rack);
    }

    private static List<Integer> target(ReplicaPlaces places, List<Integer> present, int wanted) {
        present.forEach(places::holds);
        return places.target(present, Set.copyOf(present), wanted);
    }

    /// Broker 2 holds as little as 3, and comes first; but then a rack's end would be the end of all copies.
    @Test
    void aSecondReplicaGoesToAnotherRack() {
        assertThat(target(new ReplicaPlaces(FOUR, Set.of(), Set.of()), List.of(1), 2))
                .containsExactly(1, 3);
    }

    @Test
    void whereEveryRackHasOneTheEmptierBrokerGetsIt() {
        ReplicaPlaces places = new ReplicaPlaces(FOUR, Set.of(), Set.of());
        places.holds(2);
        assertThat(target(places, List.of(1, 3), 3)).containsExactly(1, 3, 4);
    }

    @Test
    void aBrokerThatIsEmptiedGetsNothing() {
        ReplicaPlaces places = new ReplicaPlaces(FOUR, Set.of(3, 4), Set.of());
        assertThat(places.usable()).isEqualTo(2);
        assertThat(target(places, List.of(1), 2)).containsExactly(1, 2);
    }

    @Test
    void aFullDiskIsTheLastChoice() {
        assertThat(target(new ReplicaPlaces(FOUR, Set.of(), Set.of(3, 4)), List.of(1), 3))
                .containsExactly(1, 2, 3);
    }

    @Test
    void withoutRacksTheyAreSpreadEvenly() {
        List<Node> plain = List.of(new Node(1, "h", 1), new Node(2, "h", 1), new Node(3, "h", 1));
        ReplicaPlaces places = new ReplicaPlaces(plain, Set.of(), Set.of());
        places.holds(2);
        assertThat(target(places, List.of(1), 2)).containsExactly(1, 3);
    }

    @Test
    void ofTooManyTheOneGoesThatIsMissedLeast() {
        assertThat(target(new ReplicaPlaces(FOUR, Set.of(), Set.of()), List.of(1, 2, 3), 2))
                .as("its rack has another")
                .containsExactly(1, 3);
        assertThat(target(new ReplicaPlaces(FOUR, Set.of(1), Set.of()), List.of(1, 3, 4), 2))
                .as("it is emptied")
                .containsExactly(3, 4);
        assertThat(target(new ReplicaPlaces(FOUR, Set.of(), Set.of()), List.of(9, 1, 2, 3), 3))
                .as("it is not there")
                .containsExactly(1, 2, 3);
        ReplicaPlaces places = new ReplicaPlaces(FOUR, Set.of(), Set.of());
        assertThat(places.target(List.of(1, 3, 2), Set.of(1, 2), 2))
                .as("it is not in sync")
                .containsExactly(1, 2);
    }
}
