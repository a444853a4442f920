package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Stories in `src/test/transcripts`: what clients do, and everything that happens by it (Q17, Q18, Q19, Q20).
///
/// A line that begins with `>` is played; the indented lines below it are what has to happen. After a deliberate change,
/// `-Dtranscripts.rewrite=true` writes them anew, and the difference is reviewed.
class GroupTranscriptTest {
    private static final Path FOLDER = Path.of("src/test/transcripts");

    static List<String> transcripts() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void storyGoesAsWritten(String name) throws IOException {
        Path file = FOLDER.resolve(name);
        String expected = Files.readString(file);
        String actual = play(expected);
        if (Boolean.getBoolean("transcripts.rewrite")) {
            Files.writeString(file, actual);
        } else {
            assertThat(actual).isEqualTo(expected);
        }
    }

    private static String play(String script) {
        GroupStory story = new GroupStory();
        StringBuilder transcript = new StringBuilder();
        for (String line : script.lines().toList()) {
            if (line.startsWith("    ")) {
                continue;
            }
            transcript.append(line).append('\n');
            if (line.startsWith("> ")) {
                for (String happened : story.play(line.substring(2))) {
                    transcript.append("    ").append(happened).append('\n');
                }
            }
        }
        return transcript.toString();
    }
}
