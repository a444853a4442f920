package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Outcome;
import java.util.List;

/// A question to a broker, with the figures that answer it.
public interface Measure {

    /// The name by which `--only` selects it.
    String name();

    /// Every figure that a run may yield, in the order of the table.
    List<Figure> figures();

    /// Whether the figures depend on how warm this JVM's own clients are.
    default boolean usesClients() {
        return false;
    }

    /// Whether it is taken in every round; what takes minutes to set up and to clear away is taken in the first one only.
    default boolean isRepeated() {
        return true;
    }

    /// Whether it is taken only when `--only` names it.
    default boolean isOnRequest() {
        return false;
    }

    /// Puts the load on the session's broker and hands every reading to the sink as soon as it is taken.
    void run(Session session, Sink sink);

    /// Takes the readings of one round and broker.
    @FunctionalInterface
    interface Sink {
        void accept(Figure figure, Outcome outcome);

        default void value(Figure figure, double value) {
            accept(figure, new Outcome.Value(value));
        }
    }
}
