package io.sluice.coordinator;

import java.util.List;

/// What a machine wants to happen: changes to its state, then answers. Immutable.
///
/// The changes are carried out all or not at all: those that are written to the log go into one batch, and if the log refuses it
/// nothing has changed. The answers leave when everything the machine knew at that time is committed.
///
/// @param changes in order; whether one is logged or only remembered is up to the [ChangeFormat]
/// @param answers to any open ticket, not only to the command's own
/// @param notes sentences for the operator's log; empty in the usual case
public record Decision<E, R>(List<E> changes, List<Answer<R>> answers, List<String> notes) {

    /// Nothing changes, and this is the answer.
    public static <E, R> Decision<E, R> answer(Ticket ticket, R reply) {
        return new Decision<>(List.of(), List.of(new Answer<>(ticket, reply)), List.of());
    }

    public static <E, R> Decision<E, R> of(List<E> changes, Ticket ticket, R reply) {
        return new Decision<>(changes, List.of(new Answer<>(ticket, reply)), List.of());
    }

    public static <E, R> Decision<E, R> of(List<E> changes) {
        return new Decision<>(changes, List.of(), List.of());
    }

    /// A reply for one who waits.
    public record Answer<R>(Ticket ticket, R reply) {}
}
