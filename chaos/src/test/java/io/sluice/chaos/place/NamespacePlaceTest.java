package io.sluice.chaos.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/// Cuts cut what they say and nothing else; skipped where the machine has no network namespaces.
class NamespacePlaceTest {
    // Away from the number that `sluice chaos` takes when nobody chooses one.
    private final int number = ThreadLocalRandom.current().nextInt(100, 250);

    @Test
    void aCutIsOneWayAndHealingTakesItBack() {
        String obstacle = NamespacePlace.obstacle(number);
        assumeTrue(obstacle == null, () -> "skipped: " + obstacle);
        try (NamespacePlace place = new NamespacePlace(3, number)) {
            assertThat(reaches(place, 1, 2)).isTrue();

            place.cuts().cut(1, 2);
            assertThat(reaches(place, 1, 2)).isFalse();
            // The other direction is open for packets, but an answer would have to come back by the
            // cut one.
            assertThat(reaches(place, 2, 1)).isFalse();
            assertThat(reaches(place, 1, 3)).isTrue();
            assertThat(reaches(place, 3, 2)).isTrue();
            assertThat(reaches(place, 1, Cuts.CLIENTS)).isTrue();

            place.cuts().healAll();
            assertThat(reaches(place, 1, 2)).isTrue();

            place.cuts().cutBoth(1, Cuts.CLIENTS);
            assertThat(reaches(place, 1, Cuts.CLIENTS)).isFalse();
            assertThat(reaches(place, 1, 2)).isTrue();

            place.cuts().healAll();
            place.cuts().cutStore(1, 2);
            assertThat(reaches(place, 1, 2)).isTrue();
            assertThat(reaches(place, 1, 2, 2888)).isFalse();
            assertThat(reaches(place, 2, 1, 2181)).isFalse();
            assertThat(reaches(place, 1, 3, 2888)).isTrue();
        }
    }

    private static boolean reaches(NamespacePlace place, int from, int to) {
        return reaches(place, from, to, 9092);
    }

    /// Whether packets get there and back: nobody listens, so a connection is refused when they do, and hangs when they do not.
    private static boolean reaches(NamespacePlace place, int from, int to, int port) {
        String connect = "exec 3<>/dev/tcp/%s/%d".formatted(place.host(to), port);
        List<String> command = place.inside(from, List.of("timeout", "2", "bash", "-c", connect));
        try {
            Command.run(command.toArray(String[]::new));
            return true;
        } catch (CommandFailed answer) {
            return !String.valueOf(answer.getMessage()).startsWith("Exit code 124");
        }
    }
}
