package io.sluice.cli.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;

/// Which partitions a broker that is to be emptied cannot get rid of (Q27).
class StrandedTest {
    private static TopicDescription topic(int partitions, Integer... replicas) {
        List<Node> nodes = new ArrayList<>();
        for (int id : replicas) {
            nodes.add(new Node(id, "h", 1));
        }
        return new TopicDescription(
                "orders",
                false,
                IntStream.range(0, partitions)
                        .mapToObj(i -> new TopicPartitionInfo(i, nodes.getFirst(), nodes, nodes))
                        .toList());
    }

    private static Map<Integer, Integer> stranded(
            TopicDescription topic, Set<Integer> usable, Set<Integer> draining) {
        return Stranded.of(List.of(topic), Map.of(), usable, draining).partitions();
    }

    @Test
    void whereEveryOtherBrokerHasACopyNothingCanGo() {
        assertThat(stranded(topic(6, 1, 2, 3), Set.of(1, 2), Set.of(3))).isEqualTo(Map.of(3, 6));
        assertThat(stranded(topic(6, 1, 3), Set.of(1, 2), Set.of(3))).isEmpty();
        assertThat(stranded(topic(6, 1, 2, 3), Set.of(1, 2, 4), Set.of(3))).isEmpty();
    }

    @Test
    void ofABrokerThatCannotBeEmptiedNobodySaysThatItIs() {
        var all = Stranded.of(List.of(topic(6, 1, 2, 3)), Map.of(), Set.of(1, 2), Set.of(3));
        assertThat(all.outlook(3))
                .singleElement()
                .satisfies(note -> assertThat(note).contains("Broker 3 cannot be emptied: 6 "));
        assertThat(all.outlook(4)).as("another one").hasSize(2);
        var none = Stranded.of(List.of(topic(6, 1, 3)), Map.of(), Set.of(1, 2), Set.of(3));
        assertThat(none.outlook(3))
                .singleElement()
                .satisfies(note -> assertThat(note).startsWith("It is being emptied"));
    }

    @Test
    void ofTwoThatGoOneMayFindAPlace() {
        assertThat(stranded(topic(1, 3, 4, 1), Set.of(1, 2), Set.of(3, 4))).isEqualTo(Map.of(4, 1));
    }

    @Test
    void whatIsOnItsWayIsNotStranded() {
        TopicDescription topic = topic(2, 1, 2, 4, 3);
        PartitionReassignment move =
                new PartitionReassignment(List.of(1, 2, 4, 3), List.of(4), List.of(3));
        Stranded stranded =
                Stranded.of(
                        List.of(topic),
                        Map.of(new TopicPartition("orders", 0), move),
                        Set.of(1, 2, 4),
                        Set.of(3));
        assertThat(stranded.of(3)).as("partition 1, which has four copies").isEqualTo(1);
        assertThat(stranded.sum()).isEqualTo(1);
    }
}
