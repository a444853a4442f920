package io.sluice.examples.labelling.pdf;

/// What an extraction found.
public sealed interface Extracted {
    /// Text, with the number of pages that it comes from.
    record Text(String text, int pages) implements Extracted {}

    /// Nothing, and why: damaged, encrypted, no text in it.
    record Failure(String reason) implements Extracted {}
}
