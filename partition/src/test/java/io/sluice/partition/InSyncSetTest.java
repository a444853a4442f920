package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Who is in sync, and who may be (KIP-497, KIP-966: the maximal set).
class InSyncSetTest {
    private final InSyncSet set = new InSyncSet(List.of(1, 2), 4);

    @Test
    void aProposalWidensTheMaximalSetAndNeverTheOther() {
        set.propose(List.of(1, 3));
        assertThat(set.members()).containsExactly(1, 2);
        assertThat(set.maximal()).containsExactly(1, 2, 3);
        assertThat(set.isAsked()).isTrue();
    }

    @Test
    void whatIsAcceptedIsTheSet() {
        set.propose(List.of(1, 3));
        assertThat(set.accepted(4, List.of(1, 3), 5)).isTrue();
        assertThat(set.members()).containsExactly(1, 3);
        assertThat(set.maximal()).containsExactly(1, 3);
        assertThat(set.change()).isEqualTo(5);
        assertThat(set.isAsked()).isFalse();
    }

    @Test
    void aRefusalWithoutDoubtEndsIt() {
        set.propose(List.of(1, 3));
        set.refused(4);
        assertThat(set.maximal()).containsExactly(1, 2);
        assertThat(set.isAsked()).isFalse();
    }

    @Test
    void doubtGathersEverybodyWhoWasProposed() {
        set.propose(List.of(1, 2, 3));
        set.unknown(4);
        set.propose(List.of(1, 2, 5));
        set.refused(4);
        assertThat(set.isInDoubt()).isTrue();
        assertThat(set.maximal()).containsExactly(1, 2, 3, 5);
        assertThat(set.planned(List.of(1, 2, 3), 5)).isTrue();
        assertThat(set.maximal()).containsExactly(1, 2, 3);
        assertThat(set.isInDoubt()).isFalse();
    }

    @Test
    void oldNewsIsNone() {
        assertThat(set.planned(List.of(9), 4)).isFalse();
        assertThat(set.planned(List.of(9), 3)).isFalse();
        assertThat(set.accepted(2, List.of(9), 3)).isFalse();
        set.propose(List.of(1));
        set.refused(3);
        set.unknown(3);
        assertThat(set.isAsked()).isTrue();
        assertThat(set.isInDoubt()).isFalse();
        assertThat(set.members()).containsExactly(1, 2);
    }

    /// The first proposal may be on its way yet, and is taken in for as long as the plan has not changed.
    @Test
    void onlyAChangeEndsTheDoubt() {
        set.propose(List.of(1, 2, 3));
        set.unknown(4);
        set.propose(List.of(1, 2));
        assertThat(set.accepted(4, List.of(1, 2), 4)).isFalse();
        assertThat(set.isInDoubt()).isTrue();
        assertThat(set.isAsked()).isFalse();
        assertThat(set.maximal()).containsExactly(1, 2, 3);
        set.propose(List.of(1, 2));
        assertThat(set.accepted(4, List.of(1, 2), 5)).isTrue();
        assertThat(set.isInDoubt()).isFalse();
        assertThat(set.maximal()).containsExactly(1, 2);
    }
}
