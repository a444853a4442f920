package io.sluice.kafka.api.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.ManualWorld;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.OffsetToCommit;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.coordinator.groups.GroupSettings;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The way from a connection's thread to the coordinator's, and back.
class GroupCoordinatorsTest {
    private final ManualWorld clock = new ManualWorld();
    private final OtherThread shard = new OtherThread();
    private final OtherThread connection = new OtherThread();
    private final InMemoryOffsetsTopic topic = new InMemoryOffsetsTopic(shard, 3);
    private boolean certain = true;
    private final GroupCoordinators coordinators =
            new GroupCoordinators(
                    topic, GroupSettings.defaults(), clock, () -> certain, () -> true);

    /// A mailbox that nobody in this test is on; what is posted runs when the test says so.
    private static final class OtherThread implements Mailbox {
        private final ArrayDeque<Runnable> posted = new ArrayDeque<>();
        private boolean isRunning;

        @Override
        public void post(Runnable work) {
            posted.add(work);
        }

        @Override
        public boolean isCurrent() {
            return isRunning;
        }

        @Override
        public Timer schedule(Duration delay, Runnable work) {
            return () -> {};
        }

        void runPosted() {
            isRunning = true;
            for (Runnable work = posted.poll(); work != null; work = posted.poll()) {
                work.run();
            }
            isRunning = false;
        }
    }

    private static GroupCommand.CommitOffsets commit(String group, String topic) {
        return new GroupCommand.CommitOffsets(
                group,
                new MemberRef("", null, -1),
                List.of(new OffsetToCommit(new PartitionId(topic, 0), 5, -1, "", null)),
                -1);
    }

    private GroupReply.Offsets offsets(String group) {
        Reply<Outcome<GroupReply.Offsets>> reply =
                coordinators.submit(group, new GroupCommand.FetchOffsets(group, null), connection);
        shard.runPosted();
        connection.runPosted();
        return reply.value().fold(offsets -> offsets, cause -> new GroupReply.Offsets(List.of()));
    }

    /// Else the client would wait for ever, and nobody could ask for this partition's groups any more.
    @Test
    void aBugWhereTheLogIsOpenedIsAnsweredAndTheNextTryWorks() {
        topic.hasABug(true);
        Reply<Outcome<GroupReply.ToCommit>> reply =
                coordinators.submit("g", commit("g", "t"), connection);
        assertThatThrownBy(shard::runPosted).isInstanceOf(Crossing.Unfinished.class);
        connection.runPosted();
        assertThat(reply.value()).isEqualTo(Outcome.unavailable(Unavailability.LOG_OFFLINE));

        topic.hasABug(false);
        clock.advance(Duration.ofSeconds(2));
        Reply<Outcome<GroupReply.ToCommit>> again =
                coordinators.submit("g", commit("g", "t"), connection);
        shard.runPosted();
        connection.runPosted();
        assertThat(again.value()).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void commandRunsOnTheOwnersThreadAndItsAnswerComesHome() {
        Reply<Outcome<GroupReply.ToCommit>> reply =
                coordinators.submit("g", commit("g", "t"), connection);
        assertThat(topic.openings).isZero();
        shard.runPosted();
        assertThat(topic.openings).isEqualTo(1);
        assertThat(reply.isDone()).isFalse();
        connection.runPosted();
        assertThat(reply.value()).isInstanceOf(Outcome.Done.class);
    }

    /// Another broker may coordinate the group by now, and know of later commits (seed 4545 of the simulated cluster).
    @Test
    void whoeverMayHaveBeenReplacedAnswersNothingFromMemory() {
        coordinators.submit("g", commit("g", "t"), connection);
        assertThat(offsets("g").partitions()).hasSize(1);
        certain = false;
        Reply<Outcome<GroupReply.Offsets>> doubtful =
                coordinators.submit("g", new GroupCommand.FetchOffsets("g", null), connection);
        shard.runPosted();
        connection.runPosted();
        assertThat(doubtful.value()).isEqualTo(Outcome.unavailable(Unavailability.NOT_LEADER));
        certain = true;
        assertThat(offsets("g").partitions()).hasSize(1);
    }

    /// The question is whether it is certain when it decides: it may have been stopped since it was asked.
    @Test
    void theDoubtMayComeWhileACommandIsOnItsWay() {
        coordinators.submit("g", commit("g", "t"), connection);
        shard.runPosted();
        Reply<Outcome<GroupReply.Offsets>> reply =
                coordinators.submit("g", new GroupCommand.FetchOffsets("g", null), connection);
        certain = false;
        shard.runPosted();
        connection.runPosted();
        assertThat(reply.value()).isEqualTo(Outcome.unavailable(Unavailability.NOT_LEADER));
    }

    @Test
    void deletedTopicIsForgottenByTheGroupsOfAllPartitions() {
        for (int i = 0; i < 10; i++) {
            coordinators.submit("g" + i, commit("g" + i, "gone"), connection);
            coordinators.submit("g" + i, commit("g" + i, "kept"), connection);
        }
        shard.runPosted();
        assertThat(topic.openings).isEqualTo(3);
        coordinators.forgetTopic("gone", new UUID(1, 1), connection);
        shard.runPosted();
        connection.runPosted();
        for (int i = 0; i < 10; i++) {
            assertThat(offsets("g" + i).partitions())
                    .extracting(one -> one.partition().topic())
                    .containsExactly("kept");
        }
    }

    @Test
    void offsetsAreNotOldWhileTheDateIsNotTrusted() {
        GroupApi api = new GroupApi();
        api.coordinators.submit("g", commit("g", "t"), api.world);
        api.dateIsTrusted = false;
        api.pass(Duration.ofDays(30));
        assertThat(committedIn(api)).hasSize(1);
        api.dateIsTrusted = true;
        api.pass(Duration.ofMinutes(11));
        assertThat(committedIn(api)).isEmpty();
    }

    private static List<?> committedIn(GroupApi api) {
        Reply<Outcome<GroupReply.Offsets>> reply =
                api.coordinators.submit("g", new GroupCommand.FetchOffsets("g", null), api.world);
        api.world.settle();
        return reply.value().fold(GroupReply.Offsets::partitions, _ -> List.of());
    }

    @Test
    void allGroupsAreLoadedWithoutBeingAskedFor() {
        coordinators.openAll();
        assertThat(topic.openings).isZero();
        topic.require(connection);
        coordinators.openAll();
        shard.runPosted();
        assertThat(topic.openings).isEqualTo(3);
        coordinators.openAll();
        shard.runPosted();
        assertThat(topic.openings).isEqualTo(3);
    }
}
