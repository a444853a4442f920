package io.sluice.coordinator;

/// State that is decided on in memory and remembered in a log.
///
/// `decide` and `wake` change nothing; `apply` changes the state and cannot fail, ask the time or answer. So a refused append needs no
/// undoing, and replaying the log is recovery. Owned by the shard of its coordinator.
///
/// @param <C> commands: what can be asked
/// @param <E> changes: what can happen to the state
/// @param <R> replies: what can be answered
public interface Machine<C, E, R> {
    /// Decides on a command. The ticket is answered in this decision or, if the machine keeps it, in a later one.
    Decision<E, R> decide(C command, Ticket ticket, Moment now);

    void apply(E change);

    /// The log has been replayed: sets up what only memory knows, such as deadlines. Decided once, before the first command.
    Decision<E, R> recovered(Moment now);

    /// When the machine wants to be woken, in monotonic nanoseconds; [Long#MAX_VALUE] for never.
    long nextAlarmNanos();

    /// Decides on what is due. Must move the alarm: a decision that changes nothing would be asked for again at once.
    Decision<E, R> wake(Moment now);
}
