package io.sluice.kafka.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratorTest {
    private static final String MESSAGES = "io/sluice/kafka/wire/message/";

    @Test
    void everySchemaWithAVersionBecomesASource() throws IOException {
        Map<String, Schema> schemas = Generator.schemas();
        Map<String, String> sources = Generator.sources(schemas);
        int requests = 0;
        for (Schema schema : schemas.values()) {
            String path = MESSAGES + schema.name() + ".java";
            if (schema.versions().isEmpty()) {
                assertThat(sources).doesNotContainKey(path);
            } else if (schema.kind() != Schema.Kind.DATA) {
                assertThat(sources).containsKey(path);
                requests += schema.kind() == Schema.Kind.REQUEST ? 1 : 0;
            }
        }
        assertThat(requests).isEqualTo(91);
        assertThat(sources)
                .containsKeys(
                        "io/sluice/kafka/wire/ApiKey.java",
                        "io/sluice/kafka/wire/Messages.java",
                        MESSAGES + "package-info.java",
                        MESSAGES + "ConsumerProtocolSubscription.java");
        assertThat(sources.get("io/sluice/kafka/wire/ApiKey.java"))
                .contains("PRODUCE(0, 3, 13, false, 9, Set.of(ApiListener.BROKER)),")
                .contains("INIT_PRODUCER_ID(22, 0, 6, true, 2, Set.of(ApiListener.BROKER)),");
        assertThat(sources.get("io/sluice/kafka/wire/Messages.java"))
                .contains("case PRODUCE -> ProduceRequest.read(in, version);");
    }

    @Test
    void unchangedFilesAreLeftAloneAndStaleOnesDeleted(@TempDir Path folder) throws IOException {
        Generator.main(new String[] {folder.toString()});
        Path kept = folder.resolve(MESSAGES + "FetchRequest.java");
        Path changed = folder.resolve(MESSAGES + "FetchResponse.java");
        Path stale = folder.resolve(MESSAGES + "UpdateMetadataRequest.java");
        FileTime longAgo = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(kept, longAgo);
        Files.writeString(changed, "changed");
        Files.writeString(stale, "stale");

        Generator.main(new String[] {folder.toString()});

        assertThat(Files.getLastModifiedTime(kept)).isEqualTo(longAgo);
        assertThat(Files.readString(changed)).contains("record FetchResponse");
        assertThat(stale).doesNotExist();
    }

    @Test
    void aFolderIsNeeded() {
        assertThatThrownBy(() -> Generator.main(new String[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("usage");
    }
}
