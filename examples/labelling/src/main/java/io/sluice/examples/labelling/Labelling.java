package io.sluice.examples.labelling;

import io.sluice.examples.labelling.documents.Documents;
import io.sluice.examples.labelling.model.Chunks;
import io.sluice.examples.labelling.model.Labeller;
import io.sluice.examples.labelling.queue.DocumentMessage;
import io.sluice.listener.lane.Job;
import java.util.List;
import org.springframework.stereotype.Component;

/// What is done with a message, whatever it came through.
///
/// Thread-safe.
@Component
public class Labelling {
    private final Labeller labeller;
    private final Documents documents;

    public Labelling(Labeller labeller, Documents documents) {
        this.labeller = labeller;
        this.documents = documents;
    }

    /// Heavy: seconds of CPU for long texts.
    void label(DocumentMessage.ToLabel message, Job job) throws Exception {
        List<String> chunks = Chunks.of(message.text());
        // An adaptive limit compares work, not documents.
        job.size(chunks.size());
        List<Labeller.Score> scores = labeller.label(chunks, job::requireWanted);
        documents.labelled(message.document(), message.pages(), chunks.size(), scores);
    }

    /// Light: one row.
    void failed(DocumentMessage.Failed message) {
        documents.failed(message.document(), message.reason());
    }
}
