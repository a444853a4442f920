package io.sluice.examples.labelling;

import io.sluice.examples.labelling.queue.DocumentMessage;
import io.sluice.listener.lane.Job;
import io.sluice.spring.SluiceListener;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/// Works on records of the topic, in two lanes: the heavy one never holds up the light one.
///
/// Thread-safe.
@Component
@ConditionalOnProperty(name = "labelling.source", havingValue = "kafka")
class TopicWorker {
    private final Labelling labelling;

    TopicWorker(Labelling labelling) {
        this.labelling = labelling;
    }

    @SluiceListener(topic = "${labelling.queue}", source = "documents", lane = "label", limit = "3")
    void label(DocumentMessage.ToLabel message, Job job) throws Exception {
        labelling.label(message, job);
    }

    @SluiceListener(
            topic = "${labelling.queue}",
            source = "documents",
            lane = "failed",
            limit = "5")
    void failed(DocumentMessage.Failed message) {
        labelling.failed(message);
    }
}
