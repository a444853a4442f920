package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

class ApiNamesTest {
    @Test
    void namesAreThoseOfKafkaClients() {
        for (ApiKeys api : ApiKeys.values()) {
            assertThat(ApiNames.of(api.id).toUpperCase(Locale.ROOT))
                    .as(String.valueOf(api.id))
                    .isEqualTo(api.name().replace("_", ""));
        }
    }

    @Test
    void unknownApiIsShownByItsKey() {
        assertThat(ApiNames.of((short) 1_000)).isEqualTo("Api1000");
        assertThat(ApiNames.of((short) -1)).isEqualTo("Api-1");
    }
}
