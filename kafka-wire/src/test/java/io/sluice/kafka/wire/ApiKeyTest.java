package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/// The list of APIs is Kafka's own.
class ApiKeyTest {
    @Test
    void everyApiThatHasAVersionIsListedWithItsNumbers() {
        List<String> kafkas = new ArrayList<>();
        for (ApiKeys api : ApiKeys.values()) {
            if (api.hasValidVersion()) {
                kafkas.add(
                        "%s %d %d-%d, stable to %d"
                                .formatted(
                                        api.name(),
                                        api.id,
                                        api.messageType.lowestSupportedVersion(),
                                        api.messageType.highestSupportedVersion(true),
                                        api.messageType.highestSupportedVersion(false)));
            }
        }
        List<String> ours = new ArrayList<>();
        for (ApiKey api : ApiKey.values()) {
            ours.add(
                    "%s %d %d-%d, stable to %d"
                            .formatted(
                                    api,
                                    api.id(),
                                    api.lowestVersion(),
                                    api.highestKnownVersion(),
                                    api.highestVersion()));
        }
        assertThat(ours).containsExactlyElementsOf(kafkas);
    }

    @Test
    void anUnstableVersionIsKnownButNotTheHighest() {
        assertThat(ApiKey.INIT_PRODUCER_ID.latestVersionUnstable()).isTrue();
        assertThat(ApiKey.INIT_PRODUCER_ID.highestVersion()).isEqualTo((short) 5);
        assertThat(ApiKey.INIT_PRODUCER_ID.knows((short) 6)).isTrue();
        assertThat(ApiKey.INIT_PRODUCER_ID.knows((short) 7)).isFalse();
        assertThat(ApiKey.FETCH.knows((short) 3)).isFalse();
    }

    @Test
    void headersHaveTheVersionsThatKafkaGivesThem() {
        for (ApiKey api : ApiKey.values()) {
            ApiKeys kafka = ApiKeys.forId(api.id());
            for (short v = api.lowestVersion(); v <= api.highestKnownVersion(); v++) {
                assertThat(api.requestHeaderVersion(v)).isEqualTo(kafka.requestHeaderVersion(v));
                assertThat(api.responseHeaderVersion(v)).isEqualTo(kafka.responseHeaderVersion(v));
                assertThat(api.flexible(v)).isEqualTo(kafka.requestHeaderVersion(v) == 2);
            }
        }
    }

    @Test
    void listenersAreThoseOfTheSchema() {
        for (ApiKey api : ApiKey.values()) {
            Set<String> kafkas =
                    ApiKeys.forId(api.id()).messageType.listeners().stream()
                            .map(Enum::name)
                            .collect(Collectors.toSet());
            assertThat(api.listeners()).as(api.name()).hasSameSizeAs(kafkas);
            assertThat(api.listeners()).extracting(Enum::name).hasSameElementsAs(kafkas);
        }
    }

    @Test
    void findsByNumberAndKnowsWhichDoNotExist() {
        for (ApiKey api : ApiKey.values()) {
            assertThat(ApiKey.find(api.id())).isSameAs(api);
        }
        assertThat(ApiKey.find(-1)).isNull();
        assertThat(ApiKey.find(ApiKeys.CONTROLLED_SHUTDOWN.id)).isNull();
        assertThat(ApiKey.find(Short.MAX_VALUE)).isNull();
    }
}
