package io.sluice.controller;

/// A broker cannot be part of this cluster, as a sentence for the person who started it.
public final class CannotJoin extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CannotJoin(String sentence) {
        super(sentence);
    }
}
