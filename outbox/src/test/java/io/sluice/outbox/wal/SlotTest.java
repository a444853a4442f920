package io.sluice.outbox.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.wal.Slot.Beginning;
import io.sluice.outbox.wal.Slot.Made;
import org.junit.jupiter.api.Test;

class SlotTest {
    private final Made made = new Made(20, 1);

    @Test
    void whatWasOpenWhenTheSlotWasMadeIsAwaited() {
        assertThat(made.awaited(new Beginning("10:21:10,15", 1))).hasValue(10);
        assertThat(made.awaited(new Beginning("15:30:15,22", 1))).hasValue(15);
    }

    /// Its COMMIT is behind the slot.
    @Test
    void whatBeganLaterIsNot() {
        assertThat(made.awaited(new Beginning("21:30:21", 1))).isEmpty();
        assertThat(made.awaited(new Beginning("30:30:", 1))).isEmpty();
    }
}
