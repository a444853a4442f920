package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LeaderEpochs.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Q22: what a follower shows, and where it is cut.
class FollowerRoleTest {
    @Test
    void theWatermarkIsTheLeadersAsFarAsTheLogGoes() {
        FollowerRole role = new FollowerRole(3, 10);
        role.told(50, 20);
        assertThat(role.highWatermark()).isEqualTo(20);
        assertThat(role.committedEnd()).as("it lacks 30, and knows").isEqualTo(50);
        role.told(50, 60);
        assertThat(role.highWatermark()).isEqualTo(50);
    }

    /// A new leader may not know yet how far its predecessor had come.
    @Test
    void theWatermarkNeverRetreats() {
        FollowerRole role = new FollowerRole(3, 10);
        role.told(4, 20);
        assertThat(role.highWatermark()).isEqualTo(10);
    }

    /// R1 (KIP-101) and R2 (KIP-279): by epoch, not by watermark, also where the leader's epoch is not known here. This log: epoch 2 from 10, 5 from 30, 6
    /// from 40, ends at 55.
    @ParameterizedTest
    @CsvSource({
        // leader's epoch, its end there, cut to
        "6, 50, 50", // the leader has less of the same epoch
        "6, 70, 55", // or more: nothing is cut
        "5, 36, 36", // epoch 6 is unknown to the leader
        "5, 48, 40", // the leader has more of epoch 5 than there was here
        "4, 33, 30", // fast failover: epoch 4 was never here, all of 5 and 6 goes
        "2, 25, 25",
        "1, 12, 10", // older than everything here
        "9, 99, 55", // cannot be: the leader's is never above this log's last
    })
    void cutTarget(int leadersEpoch, long leadersEnd, long expected) {
        LeaderEpochs own =
                new LeaderEpochs(List.of(new Entry(2, 10), new Entry(5, 30), new Entry(6, 40)));
        assertThat(FollowerRole.cutTarget(own, 55, leadersEpoch, leadersEnd)).isEqualTo(expected);
    }

    @Test
    void whatIsCommittedMayNotBeCut() {
        FollowerRole role = new FollowerRole(3, 10);
        assertThat(role.wouldLose(9)).isTrue();
        assertThat(role.wouldLose(10)).isFalse();
    }
}
