package io.sluice.outbox.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DuplicateFilterTest {
    private final DuplicateFilter filter = new DuplicateFilter();

    @Test
    void repetitionsAreDroppedPerLane() {
        assertThat(filter.isNew(1, 5)).isTrue();
        assertThat(filter.isNew(2, 5)).isTrue();
        assertThat(filter.isNew(1, 5)).isFalse();
        assertThat(filter.isNew(1, 4)).isFalse();
        assertThat(filter.isNew(1, 9)).as("gaps are normal").isTrue();
    }

    @Test
    void theStateGoesOnElsewhere() {
        filter.isNew(1, 5);
        filter.isNew(63, 1_000_000_000_000L);
        DuplicateFilter other = DuplicateFilter.from(filter.state());
        assertThat(filter.state()).isEqualTo("1:5,63:1000000000000");
        assertThat(other.isNew(63, 1_000_000_000_000L)).isFalse();
        assertThat(other.isNew(1, 6)).isTrue();
        assertThat(DuplicateFilter.from("").state()).isEmpty();
        assertThat(DuplicateFilter.from(null).state()).isEmpty();
        assertThatThrownBy(() -> DuplicateFilter.from("nonsense")).hasMessageContaining("nonsense");
    }

    @Test
    void theLargestStateFitsIntoAnOffsetsMetadata() {
        for (int lane = 0; lane < 64; lane++) {
            filter.isNew(lane, Long.MAX_VALUE);
        }
        assertThat(filter.state().length()).isLessThan(4096);
    }

    @Test
    void recordsOfOthersAlwaysPass() {
        var record = new ConsumerRecord<>("t", 0, 0, "k", "v");
        assertThat(filter.isNew(record)).isTrue();
        record.headers().add("outbox-lane", "3".getBytes(StandardCharsets.US_ASCII));
        record.headers().add("outbox-sequence", "7".getBytes(StandardCharsets.US_ASCII));
        assertThat(filter.isNew(record)).isTrue();
        assertThat(filter.isNew(record)).isFalse();
    }

    /// The first came to this partition; the second to another one, and is repeated here.
    @Test
    void eventsWithoutAKeyPassWhereverTheyAreRepeated() {
        assertThat(filter.isNew(record(null, 8))).isTrue();
        assertThat(filter.isNew(record(null, 7))).as("never delivered here").isTrue();
        assertThat(filter.isNew(record("k", 6))).as("nor does it hide others").isTrue();
        assertThat(filter.isNew(record("k", 6))).isFalse();
        assertThat(filter.state()).isEqualTo("3:6");
    }

    private static ConsumerRecord<@Nullable String, String> record(
            @Nullable String key, int sequence) {
        var record = new ConsumerRecord<>("t", 0, 0, key, "v");
        record.headers().add("outbox-lane", "3".getBytes(StandardCharsets.US_ASCII));
        record.headers()
                .add(
                        "outbox-sequence",
                        Integer.toString(sequence).getBytes(StandardCharsets.US_ASCII));
        return record;
    }
}
