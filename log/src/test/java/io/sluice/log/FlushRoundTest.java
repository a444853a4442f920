package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FlushRoundTest {
    private final CrashDisk disk = new CrashDisk();
    private final List<PartitionLog> logs = new ArrayList<>();

    private FlushRound round(int partitions) {
        disk.createDirectory("topics");
        disk.syncDirectory("");
        disk.directorySyncs = 0;
        List<Flush> flushes = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            PartitionLog log = open(i);
            log.append(LogFixture.batch("value"), 0);
            Flush flush = log.beginFlush();
            assertThat(flush).isNotNull();
            flushes.add(flush);
            logs.add(log);
        }
        return new FlushRound(flushes);
    }

    private PartitionLog open(int number) {
        return PartitionLog.open(
                        disk,
                        new ManualClock(),
                        "topics/orders-" + number,
                        TopicSettings.defaults(),
                        null)
                .log();
    }

    @Test
    void manyPartitionsShareTheirParentsSync() {
        FlushRound round = round(20);
        round.run();
        assertThat(disk.forces).isEqualTo(20);
        assertThat(disk.directorySyncs).isEqualTo(21);
        for (int i = 0; i < 20; i++) {
            assertThat(round.failure(i)).isNull();
            logs.get(i).completeFlush(round.flushes().get(i));
            assertThat(logs.get(i).durableOffset()).isEqualTo(1);
        }
        disk.crash();
        for (int i = 0; i < 20; i++) {
            assertThat(open(i).endOffset()).isEqualTo(1);
        }
    }

    @Test
    void oneFailureLeavesTheOthersAlone() {
        FlushRound round = round(3);
        disk.failForceOf = "orders-1/00000000000000000000.log";
        round.run();
        assertThat(round.failure(0)).isNull();
        assertThat(round.failure(1)).isNotNull();
        assertThat(round.failure(2)).isNull();
    }

    @Test
    void failedParentFailsAllThatNeedIt() {
        FlushRound round = round(3);
        disk.failSyncOf = "topics";
        round.run();
        for (int i = 0; i < 3; i++) {
            assertThat(round.failure(i)).isNotNull();
        }
    }
}
