package io.sluice.partition;

import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// A request to a partition under way: asked on the owner's thread, answered at home. Immutable but for its reply.
///
/// @param leaderOnly only the leader may answer it
record Question<T>(
        Mailbox home,
        boolean leaderOnly,
        BiConsumer<OpenPartition, Consumer<T>> body,
        WhenUnavailable<T> unavailable,
        Reply<T> reply) {

    /// How a question to a closed or broken partition ends.
    interface WhenUnavailable<T> {
        T outcome(Unavailable why, String sentence);
    }

    void ask(OpenPartition partition) {
        body.accept(partition, outcome -> reply.completeOn(home, outcome));
    }

    /// Without asking anybody.
    void answer(T outcome) {
        reply.completeOn(home, outcome);
    }

    void refuse(Unavailable why, String sentence) {
        reply.completeOn(home, unavailable.outcome(why, sentence));
    }

    /// A bug ends the request that met it, and does not leave its client waiting.
    void fail(Throwable bug) {
        Crossing.tell(
                home,
                "The end of a request that met a bug",
                () -> {
                    if (!reply.isDone()) {
                        reply.fail(bug);
                    }
                });
    }
}
