package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Reply;
import io.sluice.env.Workers.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimWorldTest {
    private final SimWorld world = new SimWorld(42);
    private final SimProcess process = new SimProcess("p");
    private final List<String> happened = new ArrayList<>();
    private final List<Throwable> bugs = new ArrayList<>();

    @Test
    void timeJumpsFromEventToEvent() {
        world.schedule(process, "b", 2_000, () -> happened.add("b " + now()));
        world.schedule(process, "a", 1_000, () -> happened.add("a " + now()));
        world.schedule(process, "c", 2_000, () -> happened.add("c " + now()));
        world.runUntilIdle(10);
        assertThat(happened).containsExactly("a 1000", "b 2000", "c 2000");
        assertThat(world.executed()).isEqualTo(3);
    }

    @Test
    void aDeadProcessDoesNothingMore() {
        world.schedule(process, "a", 1, () -> happened.add("a"));
        world.schedule(process, "b", 2, process::kill);
        world.schedule(process, "c", 3, () -> happened.add("c"));
        world.runUntilIdle(10);
        assertThat(happened).containsExactly("a");
    }

    @Test
    void aWorldWithoutRestIsABug() {
        assertThatThrownBy(
                        () -> {
                            again();
                            world.runUntilIdle(100);
                        })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("still busy after 100 events");
    }

    private void again() {
        world.schedule(process, "again", 1, this::again);
    }

    @Test
    void workersAnswerOnTheHomeMailboxLater() {
        SimMailbox home = new SimMailbox(world, process, "home", bugs::add);
        SimWorkers workers = new SimWorkers(world, process, world.entropy("workers"), bugs::add);
        home.post(
                () -> {
                    Reply<String> reply =
                            workers.call(
                                    Kind.READ,
                                    home,
                                    () -> {
                                        happened.add("work at home " + home.isCurrent());
                                        return "value";
                                    });
                    reply.then(
                            value -> happened.add(value + " at home " + home.isCurrent()),
                            bugs::add);
                    happened.add("called");
                });
        world.runUntilIdle(100);
        assertThat(happened).containsExactly("called", "work at home false", "value at home true");
        assertThat(now()).isPositive();
        assertThat(bugs).isEmpty();
    }

    @Test
    void aFailureOfWorkFailsTheReplyAndAnErrorIsReportedToo() {
        SimMailbox home = new SimMailbox(world, process, "home", bugs::add);
        SimWorkers workers = new SimWorkers(world, process, world.entropy("workers"), bugs::add);
        Exception failure = new Exception("failure");
        AssertionError error = new AssertionError("bug");
        List<Throwable> failures = new ArrayList<>();
        home.post(
                () -> {
                    workers.call(
                                    Kind.FLUSH,
                                    home,
                                    () -> {
                                        throw failure;
                                    })
                            .then(_ -> happened.add("value"), failures::add);
                    workers.call(
                                    Kind.FLUSH,
                                    home,
                                    () -> {
                                        throw error;
                                    })
                            .then(_ -> happened.add("value"), failures::add);
                });
        world.runUntilIdle(100);
        assertThat(failures).containsExactlyInAnyOrder(failure, error);
        assertThat(bugs).containsExactly(error);
        assertThat(happened).isEmpty();
    }

    @Test
    void forksDependOnSeedAndNameAlone() {
        SimEntropy one = new SimEntropy(7);
        SimEntropy other = new SimEntropy(7);
        one.nextLong();
        assertThat(one.fork("disk").nextLong()).isEqualTo(other.fork("disk").nextLong());
        assertThat(one.fork("disk").nextLong()).isNotEqualTo(one.fork("net").nextLong());
        assertThat(new SimEntropy(8).fork("disk").nextLong())
                .isNotEqualTo(other.fork("disk").nextLong());
    }

    @Test
    void theTraceTellsDifferentRunsApart() {
        SimWorld twin = new SimWorld(42);
        twin.schedule(process, "a", 1, () -> {});
        twin.runUntilIdle(10);
        world.schedule(process, "b", 1, () -> {});
        world.runUntilIdle(10);
        assertThat(world.trace().value()).isNotEqualTo(twin.trace().value());
    }

    @Test
    void theWallClockCanJumpAndTheOtherCannot() {
        long wall = world.clock().wallMillis();
        world.runFor(Duration.ofSeconds(1));
        assertThat(world.clock().wallMillis()).isEqualTo(wall + 1000);
        world.clock().jumpWall(-3_600_000);
        assertThat(world.clock().wallMillis()).isEqualTo(wall + 1000 - 3_600_000);
        assertThat(now()).isEqualTo(1_000_000_000);
    }

    private long now() {
        return world.clock().monotonicNanos();
    }
}
