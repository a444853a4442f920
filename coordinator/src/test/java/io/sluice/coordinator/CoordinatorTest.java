package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.TallyMachine.Change;
import io.sluice.coordinator.TallyMachine.Command;
import io.sluice.coordinator.TallyMachine.Command.Add;
import io.sluice.coordinator.TallyMachine.Command.AddLater;
import io.sluice.coordinator.TallyMachine.Command.Await;
import io.sluice.coordinator.TallyMachine.Command.Read;
import io.sluice.env.Crossing;
import io.sluice.env.Reply;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The driver alone, with the smallest machine that has everything. Covers the state store's consistency (Q20).
class CoordinatorTest {
    private final ManualWorld world = new ManualWorld();
    private final InMemoryPartition partition = new InMemoryPartition();
    private TallyMachine machine = new TallyMachine();
    private CoordinatorLimits limits = CoordinatorLimits.DEFAULT;
    private Coordinator<Command, Change, Long> coordinator = start();

    private Coordinator<Command, Change, Long> start() {
        Coordinator<Command, Change, Long> started = begin();
        world.settle();
        return started;
    }

    /// The replay has its first turn.
    private Coordinator<Command, Change, Long> begin() {
        machine = new TallyMachine();
        return Coordinator.start(
                new Coordinator.Parts<>(
                        "tally-0",
                        partition.open(),
                        machine,
                        new TallyMachine.Format(),
                        world,
                        () -> true,
                        world,
                        limits));
    }

    private static Outcome<Long> done(long value) {
        return Outcome.done(value);
    }

    private static Outcome<Long> unavailable(Unavailability cause) {
        return Outcome.unavailable(cause);
    }

    @Test
    void replyWaitsForTheCommit() {
        partition.commitByItself(false);
        Reply<Outcome<Long>> reply = coordinator.submit(new Add("a", 1));
        assertThat(reply.isDone()).isFalse();
        partition.commitAll();
        assertThat(reply.value()).isEqualTo(done(1));
    }

    @Test
    void laterCommandsBuildOnWhatIsNotYetCommitted() {
        partition.commitByItself(false);
        Reply<Outcome<Long>> first = coordinator.submit(new Add("a", 1));
        Reply<Outcome<Long>> second = coordinator.submit(new Add("a", 1));
        partition.commit(1);
        assertThat(first.value()).isEqualTo(done(1));
        assertThat(second.isDone()).isFalse();
        partition.commit(1);
        assertThat(second.value()).isEqualTo(done(2));
    }

    @Test
    void readIsAnsweredWhenWhatItSawIsCommitted() {
        partition.commitByItself(false);
        coordinator.submit(new Add("a", 5));
        Reply<Outcome<Long>> read = coordinator.submit(new Read("a"));
        assertThat(read.isDone()).isFalse();
        partition.commitAll();
        assertThat(read.value()).isEqualTo(done(5));
        assertThat(coordinator.submit(new Read("a")).value()).isEqualTo(done(5));
    }

    @Test
    void refusedAppendChangesNothingAndTheNextWorks() {
        coordinator.submit(new Add("a", 1));
        partition.refuse(Unavailability.LOG_FULL);
        assertThat(coordinator.submit(new Add("a", 1)).value())
                .isEqualTo(unavailable(Unavailability.LOG_FULL));
        assertThat(coordinator.submit(new Read("a")).value()).isEqualTo(done(1));
        partition.refuse(null);
        assertThat(coordinator.submit(new Add("a", 1)).value()).isEqualTo(done(2));
    }

    @Test
    void decisionLargerThanTheLogTakesIsRefused() {
        limits = new CoordinatorLimits(100, 10, Duration.ofSeconds(1));
        coordinator = start();
        assertThat(coordinator.submit(new Add("a".repeat(200), 1)).value())
                .isEqualTo(unavailable(Unavailability.TOO_LARGE));
        assertThat(machine.totals).isEmpty();
        assertThat(coordinator.submit(new Add("a", 1)).value()).isEqualTo(done(1));
    }

    @Test
    void lostBatchClosesTheCoordinatorAndTellsEveryone() {
        coordinator.submit(new Add("a", 1));
        partition.commitByItself(false);
        Reply<Outcome<Long>> lost = coordinator.submit(new Add("a", 1));
        Reply<Outcome<Long>> read = coordinator.submit(new Read("a"));
        Reply<Outcome<Long>> waiting = coordinator.submit(new Await("a", 9));
        partition.loseUncommitted(0);
        for (Reply<Outcome<Long>> reply : List.of(lost, read, waiting)) {
            assertThat(reply.value()).isEqualTo(unavailable(Unavailability.LOG_OFFLINE));
        }
        assertThat(coordinator.closed().value()).isEqualTo(Unavailability.LOG_OFFLINE);
        assertThat(coordinator.submit(new Read("a")).value())
                .isEqualTo(unavailable(Unavailability.LOG_OFFLINE));

        coordinator = start();
        assertThat(coordinator.submit(new Read("a")).value()).isEqualTo(done(1));
    }

    /// R8, KAFKA-20634: an offset is not enough to know one's own batch by.
    @Test
    void commitUnderAnotherEpochIsNotOurs() {
        partition.commitByItself(false);
        Reply<Outcome<Long>> reply = coordinator.submit(new Add("a", 1));
        partition.commitUnderAnotherEpoch();
        assertThat(reply.value()).isEqualTo(unavailable(Unavailability.NOT_LEADER));
        assertThat(coordinator.closed().value()).isEqualTo(Unavailability.NOT_LEADER);
    }

    /// R8: also one that has nothing under way must not answer from memory what another leader decides.
    @Test
    void lostLeadershipClosesTheCoordinator() {
        coordinator.submit(new Add("a", 1));
        Reply<Outcome<Long>> waiting = coordinator.submit(new Await("a", 9));
        partition.loseLeadership();
        assertThat(waiting.value()).isEqualTo(unavailable(Unavailability.NOT_LEADER));
        assertThat(coordinator.closed().value()).isEqualTo(Unavailability.NOT_LEADER);
        assertThat(coordinator.submit(new Read("a")).value())
                .isEqualTo(unavailable(Unavailability.NOT_LEADER));
    }

    @Test
    void oldLeadershipCannotWriteAnyMore() {
        Coordinator<Command, Change, Long> old = coordinator;
        coordinator = start();
        assertThat(old.submit(new Add("a", 1)).value())
                .isEqualTo(unavailable(Unavailability.NOT_LEADER));
        assertThat(coordinator.submit(new Read("a")).value()).isEqualTo(done(0));
    }

    @Test
    void replayIsRecovery() {
        for (int i = 0; i < 100; i++) {
            coordinator.submit(new Add("n" + i % 7, i));
        }
        TallyMachine before = machine;
        coordinator = start();
        assertThat(machine.totals).hasSize(7).isEqualTo(before.totals);
    }

    @Test
    void commandsWaitForTheReplay() {
        coordinator.submit(new Add("a", 3));
        partition.readLate(true);
        coordinator = start();
        Reply<Outcome<Long>> reply = coordinator.submit(new Add("a", 1));
        assertThat(reply.isDone()).isFalse();
        partition.answerReads();
        world.settle();
        partition.answerReads();
        assertThat(reply.value()).isEqualTo(done(4));
    }

    /// A long log must not hold up the partitions and connections on the same thread.
    @Test
    void othersHaveTheirTurnsDuringTheReplay() {
        for (int i = 0; i < 3; i++) {
            coordinator.submit(new Add("n" + i, 1));
        }
        coordinator = begin();
        List<Integer> seen = new ArrayList<>();
        world.post(() -> seen.add(machine.totals.size()));
        world.settle();

        assertThat(seen).containsExactly(2); // It came behind the second turn.
        assertThat(machine.totals).hasSize(3);
    }

    @Test
    void aBugInTheReplayEndsItAndTellsThoseWhoWait() {
        partition.plant(new BatchBuilder().add(LogRecord.of(0, TallyMachine.BUGGY, "1")).build());
        partition.readLate(true);
        coordinator = begin();
        Reply<Outcome<Long>> reply = coordinator.submit(new Read("a"));
        partition.answerReads();

        assertThatThrownBy(world::settle).isInstanceOf(Crossing.Unfinished.class);
        assertThat(reply.value()).isEqualTo(unavailable(Unavailability.LOG_OFFLINE));
    }

    @Test
    void aBugInADecisionEndsThatCommandOnly() {
        Reply<Outcome<Long>> reply = coordinator.submit(new Read(TallyMachine.BUGGY));

        assertThatThrownBy(world::settle).isInstanceOf(Crossing.Unfinished.class);
        assertThat(reply.isFailed()).isTrue();
        assertThat(coordinator.submit(new Add("a", 1)).value()).isEqualTo(done(1));
    }

    /// What is in memory is not what is in the log: it is read again.
    @Test
    void aBugBehindAnAcceptedBatchClosesTheCoordinator() {
        Reply<Outcome<Long>> reply = coordinator.submit(new Add(TallyMachine.BUGGY, 1));

        assertThatThrownBy(world::settle).isInstanceOf(Crossing.Unfinished.class);
        assertThat(reply.value()).isEqualTo(unavailable(Unavailability.LOG_OFFLINE));
        assertThat(coordinator.closed().isDone()).isTrue();
    }

    @Test
    void aClosedCoordinatorIsForgottenByItsLog() {
        assertThat(partition.watchers()).isEqualTo(1);
        coordinator.close(Unavailability.STOPPING);
        assertThat(partition.watchers()).isZero();
    }

    @Test
    void tooManyWaitingForTheReplayAreSentAway() {
        limits = new CoordinatorLimits(1 << 20, 2, Duration.ofSeconds(1));
        partition.readLate(true);
        coordinator = start();
        coordinator.submit(new Add("a", 1));
        coordinator.submit(new Add("a", 1));
        assertThat(coordinator.submit(new Add("a", 1)).value())
                .isEqualTo(unavailable(Unavailability.LOADING));
        partition.answerReads();
        assertThat(coordinator.submit(new Read("a")).value()).isEqualTo(done(2));
    }

    @Test
    void tooManyWaitingForOthersAreSentAway() {
        limits = new CoordinatorLimits(1 << 20, 1, Duration.ofSeconds(1));
        coordinator = start();
        coordinator.submit(new Await("a", 5));
        assertThat(coordinator.submit(new Read("a")).value())
                .isEqualTo(unavailable(Unavailability.BUSY));
    }

    @Test
    void closedWhileLoadingTellsThoseWhoWait() {
        partition.readLate(true);
        coordinator = start();
        Reply<Outcome<Long>> reply = coordinator.submit(new Read("a"));
        coordinator.close(Unavailability.STOPPING);
        partition.answerReads();
        assertThat(reply.value()).isEqualTo(unavailable(Unavailability.STOPPING));
    }

    @Test
    void oneCommandAnswersAnotherThatWaited() {
        Reply<Outcome<Long>> waiting = coordinator.submit(new Await("a", 2));
        coordinator.submit(new Add("a", 1));
        assertThat(waiting.isDone()).isFalse();
        partition.commitByItself(false);
        coordinator.submit(new Add("a", 1));
        assertThat(waiting.isDone()).isFalse();
        partition.commitAll();
        assertThat(waiting.value()).isEqualTo(done(2));
    }

    @Test
    void answerMayLeadToTheNextCommandAtOnce() {
        List<Outcome<Long>> heard = new ArrayList<>();
        partition.commitByItself(false);
        coordinator
                .submit(new Add("a", 1))
                .whenDone(
                        first -> {
                            heard.add(first.value());
                            coordinator
                                    .submit(new Add("a", 1))
                                    .whenDone(second -> heard.add(second.value()));
                        });
        partition.commit(1);
        partition.commit(1);
        assertThat(heard).containsExactly(done(1), done(2));
    }

    @Test
    void alarmBecomesAChangeInTheLog() {
        coordinator.submit(new AddLater("a", Duration.ofSeconds(10).toNanos()));
        world.advance(Duration.ofMillis(9_999));
        assertThat(machine.totals).isEmpty();
        world.advance(Duration.ofMillis(1));
        assertThat(machine.totals).containsEntry("a", 1L);
        coordinator = start();
        assertThat(machine.totals).containsEntry("a", 1L);
    }

    @Test
    void refusedAlarmIsTriedAgainAfterAPause() {
        partition.refuse(Unavailability.LOG_FULL);
        coordinator.submit(new AddLater("a", 0));
        world.advance(Duration.ofMillis(4_500));
        assertThat(machine.wakes).isEqualTo(5);
        partition.refuse(null);
        world.advance(Duration.ofSeconds(1));
        assertThat(machine.totals).containsEntry("a", 1L);
    }

    @Test
    void closedCoordinatorLeavesNoTimerBehind() {
        coordinator.submit(new AddLater("a", Duration.ofDays(1).toNanos()));
        assertThat(world.timerCount()).isEqualTo(1);
        coordinator.close(Unavailability.STOPPING);
        assertThat(world.timerCount()).isZero();
    }

    @Test
    void recordsOfOthersArePassedOver() {
        partition.plant(
                new BatchBuilder()
                        .add(LogRecord.of(0, "unknown kind", "x"))
                        .add(LogRecord.of(0, "a", "seven"))
                        .add(LogRecord.of(0, "b", "7"))
                        .build());
        coordinator = start();
        assertThat(machine.totals).containsOnlyKeys("b");
        assertThat(coordinator.submit(new Add("b", 1)).value()).isEqualTo(done(8));
    }

    @Test
    void damagedLogIsNotServed() {
        ByteBuffer batch = new BatchBuilder().add(LogRecord.of(0, "a", "1")).build();
        partition.plant(batch);
        batch.put(batch.limit() - 3, (byte) 0x7e);
        coordinator = start();
        assertThat(coordinator.submit(new Read("a")).value())
                .isEqualTo(unavailable(Unavailability.LOG_OFFLINE));
    }
}
