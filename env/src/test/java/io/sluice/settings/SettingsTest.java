package io.sluice.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// What a person reads whose setting is wrong: which value, why, and what is allowed in which unit.
class SettingsTest {
    @Test
    void aNumberOutOfRangeNamesTheRangeAndTheUnit() {
        refused(
                s -> s.number("segment.bytes", 1 << 20, 1 << 20, Integer.MAX_VALUE, ""),
                "100000",
                "Setting 'segment.bytes' has the value '100000', which is not allowed; "
                        + "allowed: 1048576 to 2147483647 (bytes).");
        refused(
                s -> s.number("retention.ms", 1, -1, Long.MAX_VALUE, ""),
                "-2",
                "Setting 'retention.ms' has the value '-2', which is not allowed; "
                        + "allowed: at least -1 (milliseconds).");
        refused(
                s -> s.integer("broker.shards", 1, 1, 1024, ""),
                "99999999999",
                "Setting 'broker.shards' has the value '99999999999', which is not allowed; "
                        + "allowed: 1 to 1024.");
        refused(
                s -> s.number("retention.ms", 1, -1, Long.MAX_VALUE, ""),
                "9999999999999999999",
                "Setting 'retention.ms' has the value '9999999999999999999', which is not allowed; "
                        + "allowed: at least -1 (milliseconds).");
    }

    @Test
    void whatIsNoNumberIsCalledSo() {
        refused(
                s -> s.number("retention.ms", 1, -1, Long.MAX_VALUE, ""),
                "7d",
                "Setting 'retention.ms' has the value '7d', which is not a whole number; "
                        + "allowed: at least -1 (milliseconds).");
        refused(
                s -> s.flag("topics.auto-create", true, ""),
                "yes",
                "Setting 'topics.auto-create' has the value 'yes', which is not allowed; "
                        + "allowed: true or false.");
    }

    @Test
    void sizesAndTimeSpansShowHowTheyAreWritten() {
        refused(
                s -> s.duration("gateway.idle-timeout", "10m", Duration.ofMillis(100), ""),
                "600",
                "Setting 'gateway.idle-timeout' has the value '600', "
                        + "which is not a time span such as 500ms, 30s or 7d; allowed: at least 100ms.");
        refused(
                s -> s.size("gateway.request-bytes-max", "100MiB", 1024, ""),
                "10",
                "Setting 'gateway.request-bytes-max' has the value '10', which is not allowed; "
                        + "allowed: at least 1KiB.");
        refused(
                s -> s.size("gateway.request-bytes-max", "100MiB", 1024, ""),
                "99999999999TiB",
                "Setting 'gateway.request-bytes-max' has the value '99999999999TiB', "
                        + "which is not allowed; allowed: at least 1KiB.");
    }

    @Test
    void unknownNamesAreRefusedWithTheNearestKnownOne() {
        Settings settings = new Settings(Map.of("kafka.listn", "localhost:1"));
        settings.text("kafka.listen", "", "");
        settings.text("admin.listen", "", "");
        assertThatThrownBy(settings::refuseUnknown)
                .hasMessage("Unknown setting 'kafka.listn'; did you mean 'kafka.listen'?");
    }

    @Test
    void nobodyIsToldWhatHeCannotHaveMeant() {
        List<String> known = List.of("data", "kafka.listen", "topic.flush");
        assertThat(Nearest.to("flush", known)).isEqualTo("topic.flush");
        assertThat(Nearest.to("topic.fluhs", known)).isEqualTo("topic.flush");
        assertThat(Nearest.to("port", known)).isNull();
        assertThat(Nearest.to("zookeeper", known)).isNull();
    }

    /// Half of a short word is not a slip: whoever types 'ls' does not mean 'up'.
    @Test
    void aShortWordMayHaveOneSlip() {
        List<String> known = List.of("up", "rebalance", "log", "tail", "topic");
        assertThat(Nearest.to("tial", known)).isEqualTo("tail");
        assertThat(Nearest.to("upp", known)).isEqualTo("up");
        assertThat(Nearest.to("topics", known)).isEqualTo("topic");
        assertThat(Nearest.to("rebalanec", known)).isEqualTo("rebalance");
        assertThat(Nearest.to("ls", known)).isNull();
        assertThat(Nearest.to("lis", known)).isNull();
        assertThat(Nearest.to("lag", known)).isEqualTo("log");
        assertThat(Nearest.to("itla", known)).isNull();
    }

    @Test
    void whatIsAllowedIsRead() {
        Settings settings =
                new Settings(Map.of("a", "5", "b", "-1", "c", "64KiB", "d", "2s", "e", "x, y"));
        assertThat(settings.integer("a", 1, 1, 5, "")).isEqualTo(5);
        assertThat(settings.number("b", 1, -1, 5, "")).isEqualTo(-1);
        assertThat(settings.size("c", "1KiB", 1, "")).isEqualTo(65_536);
        assertThat(settings.duration("d", "1s", Duration.ZERO, ""))
                .isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.list("e", List.of(), List.of("x", "y"), "")).containsExactly("x", "y");
    }

    private static void refused(Function<Settings, Object> read, String value, String sentence) {
        Settings probe = new Settings(Map.of());
        assertThat(read.apply(probe)).isNotNull();
        String name = probe.definitions().getFirst().name();
        assertThatThrownBy(() -> read.apply(new Settings(Map.of(name, value))))
                .isInstanceOf(InvalidSetting.class)
                .hasMessage(sentence);
    }

    @Test
    void aSecretIsReadAndNeverShown() {
        Settings settings = new Settings(Map.of("password", "canary"));
        assertThat(settings.secret("password", "A password.")).isEqualTo("canary");
        assertThat(settings.secret("other", "Another.")).isEmpty();
        assertThat(settings.definitions().toString()).doesNotContain("canary").contains("hidden");
    }
}
