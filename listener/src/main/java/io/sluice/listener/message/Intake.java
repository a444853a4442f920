package io.sluice.listener.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The listener's door for sources: room first, messages then. So nothing is received that nobody can work on.
///
/// Thread-safe.
public interface Intake {
    /// Reserves as much of the free room as is left, at most so much. An empty reservation when there is none.
    Reservation reserve(int most);

    /// Waits for room; an empty reservation means that the listener stops.
    Reservation awaitRoom(int most) throws InterruptedException;

    /// Calls back whenever room appears, on whatever thread made it: be short.
    void onRoom(Runnable callback);

    /// What the message keeps order with, and must not overtake: those for which this is the same. None: it may go at any time.
    @Nullable String orderOf(Message message);

    /// How many messages of this lane would get a slot now.
    int room(String lane);

    /// Whether a message of this lane would get a slot now.
    default boolean hasRoom(String lane) {
        return room(lane) > 0;
    }

    /// The message is no longer ours: its job is cancelled and will not be acknowledged. Nothing happens when it has ended already.
    void lost(Message message, String why);

    /// Its job takes longer than any may: it is cancelled, and the message has failed, as if the job had thrown a [java.util.concurrent.TimeoutException]. The
    /// source hears what follows. Nothing happens when it has ended already.
    void overdue(Message message, String why);

    /// Room for so many messages, until it is closed.
    interface Reservation extends AutoCloseable {
        int size();

        /// Hands in what was received; at most [#size] messages over all calls.
        void deliver(List<Message> messages);

        /// Gives back what was not used. Twice is once.
        @Override
        void close();
    }
}
