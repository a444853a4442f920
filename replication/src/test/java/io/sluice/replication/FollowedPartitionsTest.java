package io.sluice.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.partition.FetchPosition;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.PartitionId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A round costs as much as has happened.
class FollowedPartitionsTest {
    private static final int COUNT = 100;
    private static final int EPOCH = 5;

    @TempDir Path folder;
    private final FollowedPartitions followed = new FollowedPartitions();
    private final FetchConversation conversation = new FetchConversation();
    private final List<Followed> all = new ArrayList<>();

    @BeforeEach
    void follow() {
        PartitionWorld world = new PartitionWorld(folder);
        for (int index = 0; index < COUNT; index++) {
            Followed one =
                    followed.add(
                            world.directory.add(
                                    new PartitionId("orders", index),
                                    PartitionWorld.TOPIC_ID,
                                    PartitionWorld.settings("flush", "fsync")),
                            EPOCH);
            all.add(one);
        }
    }

    private static FetchPosition at(long offset) {
        return new FetchPosition(EPOCH, offset, EPOCH);
    }

    private FetchRequest ask() {
        FetchRequest request = conversation.next(followed, 2, 77, 500);
        conversation.answered(9);
        return request;
    }

    private void everybodyStandsAt(long offset) {
        all.forEach(one -> followed.stands(one, at(offset)));
    }

    private static int named(FetchRequest request) {
        return request.topics().stream().mapToInt(topic -> topic.partitions().size()).sum();
    }

    @Test
    void onlyThoseThatHaveChangedAreLookedAt() {
        everybodyStandsAt(0);
        assertThat(named(ask())).isEqualTo(COUNT);
        followed.stands(all.get(7), at(1));
        assertThat(followed.takeChanged()).containsExactly(all.get(7));
        assertThat(followed.takeChanged()).isEmpty();
    }

    @Test
    void whoIsBeingWorkedOnIsTakenOutOfTheSessionAndComesBack() {
        everybodyStandsAt(0);
        ask();
        followed.moves(all.get(3));
        FetchRequest without = ask();
        assertThat(named(without)).isZero();
        assertThat(without.forgottenTopicsData().getFirst().partitions()).containsExactly(3);
        followed.stands(all.get(3), at(0));
        assertThat(followed.isAnyUntold()).isTrue();
        assertThat(named(ask())).isOne();
        assertThat(followed.isAnyUntold()).isFalse();
    }

    @Test
    void afterTheSessionIsLostEverythingIsSaidAgain() {
        everybodyStandsAt(0);
        ask();
        conversation.reset(followed);
        assertThat(named(ask())).isEqualTo(COUNT);
    }

    @Test
    void somebodyIsReadyAsLongAsOneIs() {
        assertThat(followed.isAnyReady()).isFalse();
        followed.stands(all.get(0), at(0));
        followed.stands(all.get(0), at(1));
        followed.stands(all.get(1), at(0));
        followed.moves(all.get(0));
        followed.moves(all.get(0));
        assertThat(followed.isAnyReady()).isTrue();
        followed.remove(all.get(1).partition().id());
        assertThat(followed.isAnyReady()).isFalse();
    }

    @Test
    void whoIsGoneIsNotLookedAtAnyMore() {
        everybodyStandsAt(0);
        followed.remove(all.get(0).partition().id());
        assertThat(named(ask())).isEqualTo(COUNT - 1);
        assertThat(followed.has(all.get(0))).isFalse();
        assertThat(followed.at(PartitionWorld.TOPIC_ID, 0)).isNull();
    }

    @Test
    void aWaitEndsWhenTheFirstWhoIsHeldBackMayGoOn() {
        everybodyStandsAt(0);
        followed.holdBack(all.get(0), 300);
        followed.holdBack(all.get(1), 200);
        assertThat(followed.heldBackNanos(100, 1_000)).isEqualTo(100);
        followed.goOn(all.get(1), at(1));
        assertThat(followed.heldBackNanos(100, 1_000)).isEqualTo(200);
        followed.remove(all.get(0).partition().id());
        assertThat(followed.heldBackNanos(100, 1_000)).isEqualTo(1_000);
    }
}
