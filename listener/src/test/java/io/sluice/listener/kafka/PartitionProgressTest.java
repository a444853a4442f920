package io.sluice.listener.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.kafka.PartitionProgress.When;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PartitionProgressTest {
    private final PartitionProgress progress = new PartitionProgress();

    private static boolean noRoom(String lane) {
        return false;
    }

    @Test
    void onlyWhatIsContiguousAndDoneIsCommitted() {
        assertThat(progress.committable()).isEqualTo(-1);
        for (long offset = 0; offset < 5; offset++) {
            progress.begin(offset);
        }
        progress.done(0);
        progress.done(3);
        progress.done(4);
        assertThat(progress.committable()).isEqualTo(1);
        progress.done(1);
        progress.done(2);
        assertThat(progress.committable()).isEqualTo(5);
    }

    @Test
    void gapsInTheLogAreNothingToWaitFor() {
        progress.begin(10);
        progress.begin(17);
        progress.done(10);
        assertThat(progress.committable()).isEqualTo(17);
    }

    @Test
    void aDeferredRecordHoldsTheCommitAndComesAgainWhenDue() {
        progress.begin(0);
        progress.begin(1);
        progress.defer(0, new When(100), true, null);
        progress.done(1);

        assertThat(progress.committable()).isZero();
        assertThat(progress.wants(0, 99, PartitionProgressTest::noRoom)).isFalse();
        assertThat(progress.firstDue(99, PartitionProgressTest::noRoom)).isEqualTo(-1);
        assertThat(progress.nanosUntilDue(40)).isEqualTo(60);
        assertThat(progress.wants(0, 100, PartitionProgressTest::noRoom)).isTrue();
        assertThat(progress.firstDue(100, PartitionProgressTest::noRoom)).isZero();
        assertThat(progress.wants(1, 100, PartitionProgressTest::noRoom))
                .as("done already")
                .isFalse();

        assertThat(progress.attemptAt(0)).as("second attempt").isEqualTo(2);
        progress.begin(0);
        progress.done(0);
        assertThat(progress.committable()).isEqualTo(2);
    }

    @Test
    void whatWaitsForALaneComesAsSoonAsThereIsRoom() {
        progress.begin(0);
        progress.defer(0, new When(100, "heavy"), false, null);

        assertThat(progress.firstDue(50, lane -> lane.equals("light"))).isEqualTo(-1);
        assertThat(progress.firstDue(50, lane -> lane.equals("heavy"))).isZero();
    }

    @Test
    void goingBackIsNoAttempt() {
        progress.begin(0);
        progress.defer(0, new When(0), false, null);
        assertThat(progress.attemptAt(0)).isEqualTo(1);
        progress.begin(0);
    }

    @Test
    void laterRecordsOfAnOrderWaitForTheDeferredOne() {
        progress.begin(0);
        progress.defer(0, new When(100), false, "lane/key");

        assertThat(progress.blocker("lane/key", 1)).isNotNull();
        assertThat(progress.blocker("lane/other", 1)).isNull();
        progress.defer(1, new When(100), false, "lane/key");
        assertThat(progress.blocker("lane/key", 0)).as("the first one is free").isNull();
        progress.begin(0);
        assertThat(progress.blocker("lane/key", 1)).as("its turn").isNull();
        assertThat(progress.blocker("lane/key", 2)).as("still behind 1").isNotNull();
    }

    @Test
    void whatTheBrokerHasDeletedHoldsUpNeitherCommitsNorItsOrder() {
        for (long offset = 0; offset < 4; offset++) {
            progress.begin(offset);
            progress.defer(offset, new When(100), false, "lane/key");
        }
        assertThat(progress.vanished(0, 3)).isEqualTo(3);
        assertThat(progress.committable()).isEqualTo(3);
        assertThat(progress.blocker("lane/key", 3)).as("its turn").isNull();
        assertThat(progress.blocker("lane/key", 4)).isNotNull();
        assertThat(progress.vanished(0, 3)).isZero();
    }

    @Test
    void readsOnWhereItHasNotBeen() {
        var taken = new PartitionProgress(7, new TreeMap<>());
        assertThat(taken.readsOn()).isEqualTo(7);
        taken.begin(9);
        assertThat(taken.readsOn()).isEqualTo(10);
    }

    @Test
    void attemptsOfWhatIsNotDoneAreKnown() {
        var taken = new PartitionProgress(0, new TreeMap<>(Map.of(2L, 4, 5L, 2, 9L, 3)));
        assertThat(taken.attemptAt(5)).as("somebody else has tried it").isEqualTo(2);
        taken.begin(5);
        taken.begin(6);
        taken.begin(7);
        assertThat(taken.attempts()).isEqualTo(Map.of(5L, 2, 9L, 3));

        taken.attempting(6, 2);
        taken.attempting(6, 1);
        taken.defer(5, new When(0), true, null);
        assertThat(taken.attempts()).isEqualTo(Map.of(5L, 3, 6L, 2, 9L, 3));

        taken.done(6);
        taken.begin(5);
        taken.done(5);
        taken.defer(9, new When(0), false, null);
        assertThat(taken.attempts()).isEqualTo(Map.of(9L, 3));
        assertThat(taken.attemptAt(9)).as("going back is no attempt").isEqualTo(3);
    }

    @Test
    void whateverHappensNothingUndoneIsCommitted() {
        for (int seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            var machine = new PartitionProgress();
            Set<Long> done = new HashSet<>();
            Set<Long> flying = new HashSet<>();
            long next = 0;
            for (int step = 0; step < 300; step++) {
                long offset = random.nextInt(50);
                if (flying.contains(offset)) {
                    if (random.nextBoolean()) {
                        machine.done(offset);
                        done.add(offset);
                    } else {
                        machine.defer(offset, new When(step), random.nextBoolean(), null);
                    }
                    flying.remove(offset);
                } else if (!done.contains(offset)
                        && offset < next
                        && machine.wants(offset, step, PartitionProgressTest::noRoom)) {
                    machine.begin(offset);
                    flying.add(offset);
                } else if (random.nextBoolean()) {
                    machine.begin(next);
                    flying.add(next++);
                }
                for (long below = 0; below < machine.committable(); below++) {
                    assertThat(done).as("seed " + seed).contains(below);
                }
            }
        }
    }
}
