package io.sluice.examples.labelling.pdf;

import io.sluice.examples.labelling.LabellingSettings;
import io.sluice.examples.labelling.documents.Documents;
import io.sluice.examples.labelling.queue.DocumentMessage;
import io.sluice.examples.labelling.queue.DocumentQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/// Looks into a folder for PDFs that nobody knows yet, and sends what is in them. The message comes before the row: a crash in between
/// sends it twice, never not at all.
///
/// Owned by the scheduler's thread.
@Component
public class Inbox {
    private static final Logger log = LoggerFactory.getLogger(Inbox.class);

    /// The first times it may have been others who took the memory.
    private static final int TRIES = 3;

    private final Path folder;
    private final Documents documents;
    private final DocumentQueue queue;
    private final Extraction extraction = new Extraction();

    /// How often there was not enough memory for a file.
    private final Map<Path, Integer> tooLarge = new HashMap<>();

    public Inbox(LabellingSettings settings, Documents documents, DocumentQueue queue) {
        this.folder = settings.folder();
        this.documents = documents;
        this.queue = queue;
    }

    @Scheduled(fixedDelayString = "${labelling.look-every}")
    public void look() throws IOException, InterruptedException {
        for (Path file : pdfs()) {
            try {
                look(file);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception | OutOfMemoryError e) {
                // Those behind it can be sent perhaps.
                log.error("{} could not be sent, and is looked at again later.", file, e);
            }
        }
    }

    private void look(Path file) throws Exception {
        String name = String.valueOf(file.getFileName());
        if (!documents.knows(name)) {
            DocumentMessage message = DocumentMessage.of(name, read(file));
            queue.send(message);
            documents.queued(name);
            log.debug("{}: {}", name, message.type());
        }
    }

    /// A folder with such a name, a link to nowhere, no right to read it: that too is something that people have to know about a document.
    private Extracted read(Path file) {
        try {
            return extraction.extract(Files.readAllBytes(file));
        } catch (IOException e) {
            return new Extracted.Failure("It cannot be read: " + e);
        } catch (OutOfMemoryError e) {
            if (tooLarge.merge(file, 1, Integer::sum) < TRIES) {
                throw e;
            }
            return new Extracted.Failure("It takes more memory than there is: " + e.getMessage());
        }
    }

    private List<Path> pdfs() throws IOException {
        Files.createDirectories(folder);
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".pdf")).sorted().toList();
        }
    }
}
