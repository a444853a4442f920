package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How long a broker may be away before its replicas are made anew, also by clocks that jump.
class AbsencesTest {
    private static final long YEAR = Duration.ofDays(365).toMillis();
    private final ClusterWorld world = new ClusterWorld();

    private Absences seenFor(long wallMillis) {
        Absences absences = new Absences(Duration.ofMinutes(10));
        absences.look(world.of(1).view(), 0, wallMillis);
        return absences;
    }

    private long awaySince() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(1, 2)));
        world.kill(2);
        Member away = world.of(1).view().members().get(2);
        assertThat(away).isNotNull();
        assertThat(away.isAway()).isTrue();
        return away.awaySinceMillis();
    }

    private boolean isUnwanted(Absences absences, Duration later) {
        return absences.isUnwanted(world.of(1).view(), 2, later.toNanos());
    }

    @Test
    void whoIsAwayForLongerThanTheGraceIsReplaced() {
        Absences absences = seenFor(awaySince());
        assertThat(isUnwanted(absences, Duration.ofMinutes(9))).isFalse();
        assertThat(isUnwanted(absences, Duration.ofMinutes(10))).isTrue();
    }

    /// A clock that jumps: forward it moves no data at once, backward it does not keep a dead broker's replicas for ever.
    @Test
    void aClockThatJumpsMovesNothingAtOnceAndKeepsNothingForEver() {
        long since = awaySince();
        Absences jumpedAhead = seenFor(since + YEAR);
        assertThat(isUnwanted(jumpedAhead, Duration.ofSeconds(59))).isFalse();
        assertThat(isUnwanted(jumpedAhead, Duration.ofMinutes(1))).isTrue();
        Absences jumpedBack = seenFor(since - YEAR);
        assertThat(isUnwanted(jumpedBack, Duration.ofMinutes(10))).isTrue();
        Absences running = seenFor(since);
        running.look(world.of(1).view(), Duration.ofMinutes(1).toNanos(), since + YEAR);
        assertThat(isUnwanted(running, Duration.ofMinutes(2)))
                .as("a controller counts in its own time")
                .isFalse();
    }
}
