package io.sluice.outbox.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ShareTest {
    private static final int LANES = 64;

    @Test
    void theFirstMemberTakesAll() {
        assertThat(Share.of(view(new TreeMap<>(), 1), 1, List.of()))
                .isEqualTo(new Share(64, List.of()));
    }

    @Test
    void whoIsNotSeenYetTakesNothing() {
        assertThat(Share.of(view(new TreeMap<>(), 1), 2, List.of())).isEqualTo(Share.AS_IT_IS);
    }

    @Test
    void nothingIsTakenFromSomebodyWhoIsAlive() {
        Map<Integer, Long> owners = new TreeMap<>();
        for (int lane = 0; lane < LANES; lane++) {
            owners.put(lane, 1L);
        }
        assertThat(Share.of(view(owners, 1, 2), 2, List.of()).take()).isZero();
        assertThat(Share.of(view(owners, 1, 2), 1, owners.keySet()).give()).hasSize(32);
    }

    @Test
    void theLanesOfTheDeadCountAsFree() {
        Map<Integer, Long> owners = new TreeMap<>(Map.of(0, 9L, 1, 1L));
        View view = new View(new TreeSet<>(List.of(1L)), new TreeMap<>(owners), 2, Mode.LOG);
        assertThat(view.gone()).containsExactly(9L);
        assertThat(Share.of(view, 1, List.of(1))).isEqualTo(new Share(1, List.of()));
    }

    @Test
    void everyMemberWatchesExactlyOneOther() {
        View view = view(new TreeMap<>(), 3, 5, 9);
        assertThat(view.neighbour(3)).hasValue(5);
        assertThat(view.neighbour(5)).hasValue(9);
        assertThat(view.neighbour(9)).hasValue(3);
        assertThat(view(new TreeMap<>(), 3).neighbour(3)).isEmpty();
    }

    @Test
    @DisplayName(
            "O4, O6: whoever comes or dies, all lanes end up covered and even, and no lane moves without need")
    void membersComeAndGo() {
        Random random = new Random(42);
        Map<Integer, Long> owners = new HashMap<>();
        TreeSet<Long> members = new TreeSet<>(List.of(1L));
        for (long newest = 2; newest < 200; newest++) {
            if (members.size() > 1 && random.nextInt(3) == 0) {
                members.remove(List.copyOf(members).get(random.nextInt(members.size())));
            } else if (members.size() < 12) {
                members.add(newest);
            }
            int moved = settle(owners, members);

            Map<Long, Integer> counts = new HashMap<>();
            owners.values().forEach(owner -> counts.merge(owner, 1, Integer::sum));
            assertThat(owners).hasSize(LANES);
            assertThat(counts.keySet()).isEqualTo(members);
            int even = LANES / members.size();
            assertThat(counts.values()).allMatch(count -> count == even || count == even + 1);
            // One member came or went: its share moves, and what the remainder shifts.
            assertThat(moved).isLessThanOrEqualTo(2 * (even + 1) + members.size());
        }
    }

    /// Lets every member act on its view until nobody has anything to do.
    private static int settle(Map<Integer, Long> owners, NavigableSet<Long> members) {
        Map<Integer, Long> before = new HashMap<>(owners);
        boolean changed = true;
        while (changed) {
            changed = false;
            for (long self : members) {
                View view = new View(members, new TreeMap<>(owners), LANES, Mode.LOG);
                List<Integer> owned =
                        owners.entrySet().stream()
                                .filter(e -> e.getValue() == self)
                                .map(Map.Entry::getKey)
                                .toList();
                Share share = Share.of(view, self, owned);
                share.give().forEach(owners::remove);
                int taken = 0;
                for (int lane = 0; lane < LANES && taken < share.take(); lane++) {
                    if (!members.contains(owners.getOrDefault(lane, 0L))) {
                        owners.put(lane, self);
                        taken++;
                    }
                }
                changed |= taken > 0 || !share.give().isEmpty();
            }
        }
        return (int)
                owners.entrySet().stream()
                        .filter(e -> !e.getValue().equals(before.get(e.getKey())))
                        .count();
    }

    private static View view(Map<Integer, Long> owners, long... members) {
        TreeSet<Long> set = new TreeSet<>();
        for (long member : members) {
            set.add(member);
        }
        return new View(set, new TreeMap<>(owners), LANES, Mode.LOG);
    }
}
