package io.sluice.examples.labelling.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChunksTest {
    private static String words(int count) {
        return IntStream.range(0, count).mapToObj(i -> "w" + i).collect(Collectors.joining(" "));
    }

    @Test
    void aShortTextIsOneChunk() {
        assertThat(Chunks.of("  two\n words ")).containsExactly("two words");
        assertThat(Chunks.of(words(Chunks.WORDS))).hasSize(1);
    }

    @Test
    void noWordIsLostAndBordersOverlap() {
        List<String> chunks = Chunks.of(words(1_000));
        assertThat(chunks.getFirst()).startsWith("w0 ").endsWith(" w149");
        assertThat(chunks.get(1)).startsWith("w130 ");
        assertThat(chunks.getLast()).endsWith(" w999");
        assertThat(chunks)
                .allSatisfy(
                        chunk ->
                                assertThat(chunk.split(" "))
                                        .hasSizeBetween(Chunks.OVERLAP, Chunks.WORDS));
    }
}
