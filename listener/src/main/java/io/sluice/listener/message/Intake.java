package io.sluice.listener.message;

import java.util.List;
import java.util.Set;
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

    /// How a lane keeps order.
    enum OrderKept {
        /// Not at all.
        NONE,
        /// Those behind a failed message wait for it.
        WAITS,
        /// Those behind a failed message go on.
        CONTINUES
    }

    /// How the lanes keep order: a source that cannot do all of it says so at start.
    Set<OrderKept> ordersKept();

    /// How many messages that others keep order with have gone back so far. Their source had been told of each before it was counted. Somebody who brings
    /// them again by itself asks this first, then looks at what it has been told, and hands in with [Reservation#deliver(Message, long)].
    long comebacks();

    /// How many messages of this lane would get a slot now.
    int room(String lane);

    /// Whether a message of this lane would get a slot now.
    default boolean hasRoom(String lane) {
        return room(lane) > 0;
    }

    /// Whether the message has a slot.
    boolean has(Message message);

    /// The how-manieth attempt at a message runs now, or will be the first: more than it was delivered with when it was tried again in its slot.
    int attemptAt(Message message);

    /// The message is no longer ours: its job is cancelled and will not be acknowledged. A source that is just being told that the job is done may answer with this. Nothing
    /// happens when it has ended already.
    void lost(Message message, String why);

    /// Its job takes longer than any may: it is cancelled, and the message has failed, as if the job had thrown a [java.util.concurrent.TimeoutException]. The
    /// source hears what follows. Nothing happens when it has ended already.
    void overdue(Message message, String why);

    /// The message's dead letter is safe: whoever waited behind it may go on. Nothing happens when it was no dead letter.
    void buried(Message message);

    /// Its dead letter could not be stored, and the source will bring the message again: those behind it that must not overtake it go back too.
    void unburied(Message message, String why);

    /// Room for so many messages, until it is closed.
    interface Reservation extends AutoCloseable {
        int size();

        /// Hands in what was received. [#size] messages over all calls take what was reserved; one more gets a slot if its lane happens to have one: for what a
        /// source holds already.
        void deliver(List<Message> messages);

        /// Hands in one message, unless something has gone back since [Intake#comebacks] was this: that might have to come before it.
        ///
        /// @return whether it was handed in; otherwise nothing has happened
        boolean deliver(Message message, long comebacks);

        /// Gives back what was not used. Twice is once.
        @Override
        void close();
    }
}
