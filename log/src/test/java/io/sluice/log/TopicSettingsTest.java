package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.TopicSettings.Parsed;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class TopicSettingsTest {
    @Test
    @DisplayName("Q8: two weeks by default")
    void defaultsAreKafkasButForRetention() {
        TopicSettings settings = TopicSettings.defaults();
        assertThat(settings.retention().millis()).isEqualTo(Duration.ofDays(14).toMillis());
        assertThat(settings.retention().bytes()).isEqualTo(-1);
        assertThat(settings.messages().maxBytes()).isEqualTo(1_048_588);
        assertThat(settings.flush()).isEqualTo(TopicSettings.FlushPolicy.FSYNC);
        assertThat(settings.compaction().enabled()).isFalse();
    }

    @Test
    void unknownKeyIsNamed() {
        assertThat(TopicSettings.parse(Map.of("retention.millis", "5")))
                .isInstanceOfSatisfying(
                        Parsed.Invalid.class,
                        invalid -> {
                            assertThat(invalid.name()).isEqualTo("retention.millis");
                            assertThat(invalid.sentence()).contains("retention.m");
                        });
    }

    @Test
    void badValueIsNamed() {
        assertThat(TopicSettings.parse(Map.of("segment.bytes", "12")))
                .isInstanceOfSatisfying(
                        Parsed.Invalid.class,
                        invalid -> assertThat(invalid.name()).isEqualTo("segment.bytes"));
        assertThat(TopicSettings.parse(Map.of("cleanup.policy", "shred")))
                .isInstanceOf(Parsed.Invalid.class);
    }

    @Test
    void everyKeyIsDescribed() {
        assertThat(TopicSettings.definitions(Map.of("retention.ms", "5")))
                .hasSize(26)
                .allMatch(definition -> !definition.doc().isBlank())
                .anyMatch(
                        definition ->
                                definition.name().equals("retention.ms")
                                        && definition.isSet()
                                        && definition.value().equals("5"));
    }

    @Test
    void bothPoliciesTogether() {
        TopicSettings settings = BatchValidationTest.settings("cleanup.policy", "compact,delete");
        assertThat(settings.compaction().enabled()).isTrue();
        assertThat(settings.retention().deletes()).isTrue();
    }
}
