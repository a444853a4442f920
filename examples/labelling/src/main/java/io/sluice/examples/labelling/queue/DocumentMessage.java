package io.sluice.examples.labelling.queue;

import io.sluice.examples.labelling.pdf.Extracted;

/// What travels through the queue about a document.
///
/// | type | then |
/// | --- | --- |
/// | `label` | `text` and `pages` are there: heavy work |
/// | `failed` | `reason` is there: a row is updated |
///
/// Immutable.
public sealed interface DocumentMessage {
    String document();

    /// Its lane, also the value of the message's attribute `type`.
    String type();

    /// There is text to be labelled.
    record ToLabel(String document, String text, int pages) implements DocumentMessage {
        @Override
        public String type() {
            return "label";
        }
    }

    /// There will never be.
    record Failed(String document, String reason) implements DocumentMessage {
        @Override
        public String type() {
            return "failed";
        }
    }

    static DocumentMessage of(String document, Extracted extracted) {
        return switch (extracted) {
            case Extracted.Text(String text, int pages) -> new ToLabel(document, text, pages);
            case Extracted.Failure(String reason) -> new Failed(document, reason);
        };
    }
}
