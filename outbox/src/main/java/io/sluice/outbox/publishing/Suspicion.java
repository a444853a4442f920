package io.sluice.outbox.publishing;

import io.sluice.outbox.lanes.Numbered;
import java.util.List;

/// Finds the event that the broker refuses without saying that it is its fault.
///
/// What is refused is a whole request, and whoever stands first in it is not to blame for that. So after such a refusal events are sent alone, then, as
/// long as all goes well, twice as many each time. An event that is refused alone, several times in a row, cannot be published; a broker that was only
/// in trouble for a while has answered otherwise by then.
///
/// Owned by the publishing thread.
public final class Suspicion {
    static final int ENOUGH = 5;

    private int most = Integer.MAX_VALUE;
    private long suspect;
    private int refusals;

    /// As many of these as may be sent at once.
    public List<Numbered> some(List<Numbered> events) {
        return most >= events.size() ? events : events.subList(0, most);
    }

    /// @param sent what [#some] has given
    /// @return the refusal of this outcome as it has to be acted on, never an [Refusal.Unexplained]
    public Refusal of(List<Numbered> sent, Outcome.Refused refused) {
        if (!(refused.why() instanceof Refusal.Unexplained(String reason))) {
            return refused.why();
        }
        most = 1;
        if (sent.size() > 1) {
            return new Refusal.Transport(reason);
        }
        long ord = refused.event().event().ord();
        refusals = ord == suspect ? refusals + 1 : 1;
        suspect = ord;
        if (refusals < ENOUGH) {
            return new Refusal.Transport(reason);
        }
        refusals = 0;
        return new Refusal.OfRecord(
                "%s (refused %d times in a row, alone)".formatted(reason, ENOUGH));
    }

    /// Nothing was refused.
    public void passed() {
        most = most > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE : most * 2;
        refusals = 0;
    }
}
