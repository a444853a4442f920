package io.sluice.zookeeper;

import static io.sluice.zookeeper.FirstStart.State.NEW;
import static io.sluice.zookeeper.FirstStart.State.READY;
import static io.sluice.zookeeper.FirstStart.State.RUNS;
import static io.sluice.zookeeper.FirstStart.State.SILENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.zookeeper.EnsembleSettings.Member;
import io.sluice.zookeeper.FirstStart.Beginning;
import io.sluice.zookeeper.FirstStart.State;
import io.sluice.zookeeper.FirstStart.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Who may vote though it has nothing.
class FirstStartTest {
    private static final Step WAIT = new Step.Wait();
    private static final Step FIRST = new Step.Begin(Beginning.ONE_OF_THE_FIRST);
    private static final Step NO_VOTE = new Step.Begin(Beginning.WITHOUT_A_VOTE);

    private static Step next(State own, State... others) {
        return FirstStart.next(own, List.of(others));
    }

    @Test
    void aNewEnsembleBeginsWhenAllHaveSeenThatAllAreNew() {
        assertThat(next(NEW, NEW, NEW)).isEqualTo(new Step.Become(READY));
        assertThat(next(NEW, NEW, READY)).isEqualTo(new Step.Become(READY));
        assertThat(next(READY, NEW, READY)).isEqualTo(WAIT);
        assertThat(next(READY, READY, READY)).isEqualTo(FIRST);
    }

    /// It has seen that one without data.
    @Test
    void whoIsReadyIsNotKeptByOneThatWasFaster() {
        assertThat(next(READY, RUNS, READY)).isEqualTo(FIRST);
        assertThat(next(READY, RUNS, RUNS)).isEqualTo(FIRST);
    }

    @Test
    void whoFindsOneThatHasBeenThereHasLostItsData() {
        assertThat(next(NEW, RUNS, RUNS)).isEqualTo(NO_VOTE);
        assertThat(next(NEW, RUNS, SILENT)).isEqualTo(NO_VOTE);
        assertThat(next(NEW, RUNS, NEW)).isEqualTo(NO_VOTE);
    }

    /// The silent one may have what was decided.
    @Test
    void nobodyBeginsWithoutHavingSeenAll() {
        assertThat(next(NEW, NEW, SILENT)).isEqualTo(WAIT);
        assertThat(next(NEW, SILENT, SILENT)).isEqualTo(WAIT);
        assertThat(next(READY, READY, SILENT)).isEqualTo(WAIT);
    }

    @Test
    void anEnsembleOfOneBeginsAtOnce() {
        assertThat(next(NEW)).isEqualTo(new Step.Become(READY));
        assertThat(next(READY)).isEqualTo(FIRST);
    }

    @Test
    void whoDoesNotAnswerIsMissing() {
        List<Member> members =
                List.of(new Member(2, "b", 2888, 3888, 2181), new Member(3, "c", 2888, 3888, 2181));
        assertThat(FirstStart.silent(members, List.of(NEW, SILENT)))
                .containsExactly(members.getLast());
        assertThat(FirstStart.silent(members, List.of(READY, RUNS))).isEmpty();
        assertThat(Sentences.missing(new Member(1, "a", 2888, 3888, 2181), members))
                .contains("member 2 at b:2181, member 3 at c:2181, which do not answer");
    }
}
