package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigPageTest {
    private static final Path PAGE = Path.of("..", "docs", "config.md");

    @Test
    void theReferencePageSaysWhatTheCodeDoes() throws Exception {
        if (Boolean.getBoolean("sluice.rewrite")) {
            Files.writeString(PAGE, ConfigPage.text());
        }
        assertThat(Files.readString(PAGE)).isEqualTo(ConfigPage.text());
    }
}
