package io.sluice.kafka.api;

import io.sluice.env.Durations;
import io.sluice.kafka.wire.ApiKey;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;

/// How long requests took, from their arrival until their answer was ready, by API. Thread-safe.
///
/// A fetch that waits for messages counts with its waiting.
public final class RequestTimes {
    private final Map<ApiKey, Durations> byApi = new EnumMap<>(ApiKey.class);

    public RequestTimes() {
        for (ApiKey key : ApiKey.values()) {
            if (SupportedApis.find(key) != null) {
                byApi.put(key, new Durations());
            }
        }
    }

    void add(ApiKey key, long nanos) {
        Durations durations = byApi.get(key);
        if (durations != null) {
            durations.add(nanos);
        }
    }

    public void forEach(BiConsumer<ApiKey, Durations> reader) {
        byApi.forEach(reader);
    }
}
