package io.sluice.kafka.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class VersionsTest {
    private static Versions versions(String text) {
        return Versions.parse(text);
    }

    @Test
    void everyNotationOfTheSchemasIsUnderstood() {
        assertThat(versions("3")).isEqualTo(new Versions(3, 3));
        assertThat(versions("0-12")).isEqualTo(new Versions(0, 12));
        assertThat(versions(" 2+ ")).isEqualTo(new Versions(2, Short.MAX_VALUE));
        assertThat(versions("none").isEmpty()).isTrue();
        assertThatThrownBy(() -> versions("some")).isInstanceOf(NumberFormatException.class);
    }

    @Test
    void rangesAreCutAndJoined() {
        assertThat(versions("0-7").and(versions("5+"))).isEqualTo(versions("5-7"));
        assertThat(versions("0-3").and(versions("5+"))).isEqualTo(Versions.NONE);
        assertThat(versions("0-3").hull(versions("5-6"))).isEqualTo(versions("0-6"));
        assertThat(Versions.NONE.hull(versions("5-6"))).isEqualTo(versions("5-6"));
        assertThat(versions("0-9").covers(versions("3-9"))).isTrue();
        assertThat(versions("0-9").covers(versions("3+"))).isFalse();
        assertThat(versions("0-9").covers(Versions.NONE)).isTrue();
    }

    @Test
    void takingAwayMustLeaveOneRange() {
        assertThat(versions("0-9").without(versions("4+"))).isEqualTo(versions("0-3"));
        assertThat(versions("2-9").without(versions("0-4"))).isEqualTo(versions("5-9"));
        assertThat(versions("2-9").without(versions("0+"))).isEqualTo(Versions.NONE);
        assertThat(versions("2-9").without(Versions.NONE)).isEqualTo(versions("2-9"));
        assertThatThrownBy(() -> versions("0-9").without(versions("3-4")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void conditionsSayNoMoreThanIsOpen() {
        Versions possible = versions("3-9");
        assertThat(versions("0+").conditionAmong(possible)).isEqualTo("true");
        assertThat(versions("0-2").conditionAmong(possible)).isEqualTo("false");
        assertThat(versions("none").conditionAmong(possible)).isEqualTo("false");
        assertThat(versions("5+").conditionAmong(possible)).isEqualTo("version >= 5");
        assertThat(versions("0-5").conditionAmong(possible)).isEqualTo("version <= 5");
        assertThat(versions("9+").conditionAmong(possible)).isEqualTo("version == 9");
        assertThat(versions("5-6").conditionAmong(possible))
                .isEqualTo("version >= 5 && version <= 6");
    }
}
