package io.sluice.outbox.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FetchSizeTest {
    private static final int PAGE = 5_000;
    private static final int PAGE_BYTES = 16 << 20;

    private final FetchSize size = new FetchSize();

    @Test
    void aPageOfSmallRowsIsFetchedAtOnceWhenTheirSizeIsKnown() {
        assertThat(size.next(PAGE, PAGE_BYTES)).as("nothing is known yet").isEqualTo(200);
        size.came(rows(200, 300));
        assertThat(size.next(PAGE, PAGE_BYTES)).as("no faster than that").isEqualTo(800);
        size.came(rows(800, 300));
        size.came(rows(3_200, 300));
        assertThat(size.next(PAGE, PAGE_BYTES)).isEqualTo(PAGE);
    }

    @Test
    void aPageThatWasReadOtherwiseTellsAsWell() {
        size.came(rows(PAGE, 300));
        assertThat(size.next(PAGE, PAGE_BYTES)).isEqualTo(PAGE);
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
        assertThat(size.next(PAGE, PAGE_BYTES)).isEqualTo(800);
    }

    private static List<Event> rows(int count, int bytes) {
        var payload = new Event.Payload(new byte[bytes]);
        return Collections.nCopies(count, new Event(1, 0, "1", "a", Map.of(), payload, -1));
    }
}
