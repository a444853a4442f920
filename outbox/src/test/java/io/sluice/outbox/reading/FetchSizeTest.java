package io.sluice.outbox.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FetchSizeTest {
    private static final int PAGE = 5_000;
    private static final int MOST = 500;
    private static final int PAGE_BYTES = 16 << 20;

    private final FetchSize size = new FetchSize();

    @Test
    void fetchesGrowUpToABoundHoweverSmallRowsAre() {
        assertThat(size.next(PAGE, PAGE_BYTES)).as("nothing is known yet").isEqualTo(200);
        size.came(rows(100, 300));
        assertThat(size.next(PAGE, PAGE_BYTES)).as("no faster than that").isEqualTo(400);
        size.came(rows(400, 300));
        assertThat(size.next(PAGE, PAGE_BYTES)).isEqualTo(MOST);
        size.came(rows(MOST, 1));
        assertThat(size.next(PAGE, PAGE_BYTES)).isEqualTo(MOST);
        assertThat(size.next(30, PAGE_BYTES)).as("no more than wanted").isEqualTo(30);
    }

    /// The rows behind it may be a thousand times as large.
    @Test
    void aPageThatWasReadOtherwiseIsNoReasonToFetchOneAtOnce() {
        size.came(rows(PAGE, 300));
        assertThat(size.next(PAGE, PAGE_BYTES)).isEqualTo(MOST);
    }

    @Test
    void largeRowsAreFetchedAsFarAsTheyFit() {
        size.came(rows(200, 1 << 20));
        assertThat(size.next(PAGE, PAGE_BYTES)).isEqualTo(8);
        assertThat(size.next(PAGE, 1)).as("at least one").isEqualTo(1);
    }

    @Test
    void emptyPayloadsAreNoReasonToFetchEverything() {
        size.came(rows(200, 0));
        assertThat(size.next(PAGE, PAGE_BYTES)).isEqualTo(MOST);
    }

    private static List<Event> rows(int count, int bytes) {
        var payload = new Event.Payload(new byte[bytes]);
        return Collections.nCopies(count, new Event(1, 0, "1", "a", Map.of(), payload, -1));
    }
}
