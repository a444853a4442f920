package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.lanes.Backoff;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class RelaySettingsTest {
    private static final Duration DAY = Duration.ofDays(1).plusSeconds(1);
    private static final RelaySettings DEFAULT =
            RelaySettings.of("transfers", Map.of("bootstrap.servers", "localhost:9092"));

    @Test
    void whatIsNotChangedStays() throws Exception {
        assertChanged(DEFAULT.withTable(OutboxTable.named("events")), "table");
        assertChanged(DEFAULT.withName("other"), "name");
        assertChanged(DEFAULT.withGuarantee(Guarantee.EXACTLY_ONCE), "guarantee");
        assertChanged(DEFAULT.withLease(DAY), "lease");
        assertChanged(DEFAULT.withPage(7, 8), "pageRows", "pageBytes");
        assertChanged(DEFAULT.withIdleWait(DAY), "idleWait");
        assertChanged(DEFAULT.withParking(new Backoff(DAY, DAY)), "parking");
        assertChanged(DEFAULT.withRetention(DAY), "retention");
        Replication replication = Replication.to("jdbc:postgresql://localhost/a", new Properties());
        assertChanged(DEFAULT.withReplication(replication), "replication");
    }

    @Test
    void wrongSizesAreNamed() {
        assertThatThrownBy(() -> DEFAULT.withPage(0, 1))
                .hasMessage("pageRows=0: it must be 1 to 1,000,000");
        assertThatThrownBy(() -> DEFAULT.withPage(1_000_001, 1))
                .hasMessage("pageRows=1000001: it must be 1 to 1,000,000");
    }

    private static void assertChanged(RelaySettings after, String... names) throws Exception {
        for (RecordComponent part : RelaySettings.class.getRecordComponents()) {
            Object before = part.getAccessor().invoke(DEFAULT);
            assertThat(!Objects.equals(before, part.getAccessor().invoke(after)))
                    .as(part.getName() + " changed")
                    .isEqualTo(List.of(names).contains(part.getName()));
        }
    }
}
