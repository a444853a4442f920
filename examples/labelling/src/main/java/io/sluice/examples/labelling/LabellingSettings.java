package io.sluice.examples.labelling;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/// The properties `labelling.…`; their defaults are in `application.yaml`.
///
/// Immutable.
///
/// @param folder where PDFs are put
/// @param lookEvery how often somebody looks there
/// @param queue the queue's or topic's name
/// @param labels by label, what a document of that kind is about; a label with a space is written `"[in brackets]"`
@ConfigurationProperties("labelling")
public record LabellingSettings(
        Kind source, Path folder, Duration lookEvery, String queue, Map<String, String> labels) {
    /// What messages travel through.
    public enum Kind {
        SQS,
        KAFKA
    }
}
