package io.sluice.examples.labelling.pdf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.labelling.LabellingSettings;
import io.sluice.examples.labelling.documents.Documents;
import io.sluice.examples.labelling.local.Generator;
import io.sluice.examples.labelling.queue.DocumentMessage;
import io.sluice.examples.labelling.queue.DocumentQueue;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/// One bad file holds up nobody.
class InboxTest {
    @TempDir Path folder;

    private final List<DocumentMessage> sent = new ArrayList<>();
    private final Set<String> refused = new HashSet<>();

    private final DocumentQueue queue =
            new DocumentQueue() {
                @Override
                public void send(DocumentMessage message) {
                    if (refused.contains(message.document())) {
                        throw new IllegalArgumentException("The queue does not take it.");
                    }
                    sent.add(message);
                }

                @Override
                public long waiting() {
                    return sent.size();
                }

                @Override
                public String describe() {
                    return "a list";
                }
            };

    /// Rows in memory.
    private final Documents documents =
            new Documents(JdbcClient.create(new SimpleDriverDataSource())) {
                private final Set<String> known = new HashSet<>();

                @Override
                public boolean knows(String name) {
                    return known.contains(name);
                }

                @Override
                public void queued(String name) {
                    known.add(name);
                }
            };

    private List<String> names() {
        return sent.stream().map(DocumentMessage::document).toList();
    }

    @BeforeEach
    void aGoodFileAtTheEndOfTheAlphabet() throws Exception {
        Path generated = Files.createDirectory(folder.resolve("generated"));
        new Generator(3, 1).generate(generated, 1);
        try (Stream<Path> files = Files.list(generated)) {
            Files.copy(files.findFirst().orElseThrow(), folder.resolve("z.pdf"));
        }
    }

    private Inbox inbox() {
        return new Inbox(
                new LabellingSettings(
                        LabellingSettings.Kind.SQS,
                        folder,
                        Duration.ofSeconds(1),
                        "documents",
                        Map.of()),
                documents,
                queue);
    }

    @Test
    void whatCannotBeReadIsAFailureWithItsReason() throws Exception {
        Files.createDirectory(folder.resolve("a.pdf"));
        Files.createSymbolicLink(folder.resolve("b.pdf"), folder.resolve("nowhere"));
        Inbox inbox = inbox();
        inbox.look();
        assertThat(names()).containsExactly("a.pdf", "b.pdf", "z.pdf");
        assertThat(sent.subList(0, 2))
                .allSatisfy(
                        message ->
                                assertThat(((DocumentMessage.Failed) message).reason())
                                        .startsWith("It cannot be read: "));
        assertThat(sent.getLast()).isInstanceOf(DocumentMessage.ToLabel.class);
        inbox.look();
        assertThat(sent).as("each once").hasSize(3);
    }

    @Test
    void whatTheQueueRefusesIsLookedAtAgainAndHoldsUpNobody() throws Exception {
        Files.writeString(folder.resolve("a.pdf"), "no PDF");
        refused.add("a.pdf");
        Inbox inbox = inbox();
        inbox.look();
        assertThat(names()).containsExactly("z.pdf");
        refused.clear();
        inbox.look();
        assertThat(names()).containsExactly("z.pdf", "a.pdf");
    }

    @Test
    void whatTakesTooMuchMemoryEveryTimeIsAFailure() throws Exception {
        try (var file = new RandomAccessFile(folder.resolve("a.pdf").toFile(), "rw")) {
            file.setLength(3L << 30); // more than an array can have, and nothing on the disk
        }
        Inbox inbox = inbox();
        inbox.look();
        inbox.look();
        assertThat(names()).containsExactly("z.pdf");
        inbox.look();
        inbox.look();
        assertThat(names()).containsExactly("z.pdf", "a.pdf");
        assertThat(((DocumentMessage.Failed) sent.getLast()).reason())
                .startsWith("It takes more memory than there is: ");
    }

    @Test
    void charactersThatNoQueueTakesAreLeftOut() {
        assertThat(Extraction.sendable("a\u0000b\uFFFEc\uFFFFd\uD83De\n\tf\uD83D\uDE00"))
                .isEqualTo("abcde\n\tf\uD83D\uDE00");
    }
}
