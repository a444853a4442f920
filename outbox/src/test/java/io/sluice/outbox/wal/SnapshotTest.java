package io.sluice.outbox.wal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// What is published, as a snapshot that PostgreSQL understands.
class SnapshotTest {
    /// A database may have a million transactions between two that have events.
    @Test
    void transactionsWithoutEventsAreNotListed() {
        Snapshot now = Snapshot.of("2000000:2000000:");
        Snapshot after =
                Snapshot.of("100:100:")
                        .with(List.of(150L, 1_000_100L), now, List.of(150L, 1_000_100L));
        assertThat(after.text()).isEqualTo("1000101:1000101:");
    }

    @Test
    void whatHasEventsAndIsNotPublishedStaysInvisible() {
        Snapshot after =
                Snapshot.of("90:100:90")
                        .with(List.of(170L), Snapshot.of("200:200:"), List.of(90L, 160L, 170L));
        assertThat(after.text()).isEqualTo("90:171:90,160");
    }

    @Test
    void whatHasNotEndedStaysInvisible() {
        Snapshot after =
                Snapshot.of("90:100:90,95")
                        .with(List.of(170L), Snapshot.of("95:200:95,155,180"), List.of(170L));
        assertThat(after.text()).isEqualTo("95:171:95,155");
    }

    /// The log brings a transaction a moment before others see it.
    @Test
    void whatIsPublishedBeforeItIsVisibleBecomesVisible() {
        Snapshot after =
                Snapshot.of("100:100:").with(List.of(170L), Snapshot.of("168:168:"), List.of());
        assertThat(after.text()).isEqualTo("168:171:168,169");
        Snapshot later =
                after.with(List.of(180L), Snapshot.of("170:200:170"), List.of(169L, 170L, 180L));
        assertThat(later.text()).isEqualTo("169:181:169");
    }

    @Test
    void aLaterSnapshotIncludesAnEarlierOne() {
        Snapshot earlier = Snapshot.of("100:110:100,105");
        assertThat(Snapshot.of("105:120:105,115").includes(earlier)).isTrue();
        assertThat(earlier.includes(earlier)).isTrue();
        assertThat(Snapshot.of("101:120:101").includes(earlier)).as("101 is missing").isFalse();
        assertThat(Snapshot.of("100:109:100").includes(earlier)).as("109 is missing").isFalse();
    }
}
