package io.sluice.client;

import static org.apache.kafka.clients.producer.ProducerConfig.ACKS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.BATCH_SIZE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.BUFFER_MEMORY_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.COMPRESSION_TYPE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.LINGER_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION;
import static org.apache.kafka.clients.producer.ProducerConfig.RETRIES_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.TRANSACTIONAL_ID_CONFIG;

import java.util.Map;
import java.util.TreeMap;

/// The producer's half of a preset: what each choice sets, and which overrides would break it.
///
/// Immutable.
final class ProducerSettings {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;

    private final Delivery delivery;
    private final Map<String, Object> settings;

    private ProducerSettings(Preset preset, Map<String, ?> overrides) {
        delivery = preset.delivery();
        settings = new TreeMap<>();
        putDelivery();
        putProfile(preset.profile());
        settings.putAll(overrides);
        keepOrderWithoutIdempotence(overrides);
    }

    static Map<String, Object> of(Preset preset, Map<String, ?> overrides) {
        var result = new ProducerSettings(preset, overrides);
        result.check();
        return result.settings;
    }

    private void putDelivery() {
        switch (delivery) {
            case AT_MOST_ONCE -> putPromise("0", 0, false);
            case AT_LEAST_ONCE, EXACTLY_ONCE -> putPromise("all", Integer.MAX_VALUE, true);
        }
        settings.put(MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
    }

    private void putPromise(String acks, int retries, boolean idempotence) {
        settings.put(ACKS_CONFIG, acks);
        settings.put(RETRIES_CONFIG, retries);
        settings.put(ENABLE_IDEMPOTENCE_CONFIG, idempotence);
    }

    private void putProfile(Profile profile) {
        switch (profile) {
            case THROUGHPUT -> putBatching(20, 256 * KIB, "lz4", 64 * MIB);
            case BALANCED -> putBatching(5, 64 * KIB, "lz4", 32 * MIB);
            case LATENCY -> putBatching(0, 16 * KIB, "none", 32 * MIB);
        }
    }

    private void putBatching(int lingerMillis, int batchSize, String compression, int buffer) {
        settings.put(LINGER_MS_CONFIG, lingerMillis);
        settings.put(BATCH_SIZE_CONFIG, batchSize);
        settings.put(COMPRESSION_TYPE_CONFIG, compression);
        settings.put(BUFFER_MEMORY_CONFIG, (long) buffer);
    }

    /// acks=1 rules out idempotence, and without it a retried batch can overtake the one sent after it: one request
    /// at a time then keeps the order of a partition.
    private void keepOrderWithoutIdempotence(Map<String, ?> overrides) {
        if (delivery != Delivery.AT_LEAST_ONCE) {
            return;
        }
        if (acks().equals("1") && !overrides.containsKey(ENABLE_IDEMPOTENCE_CONFIG)) {
            settings.put(ENABLE_IDEMPOTENCE_CONFIG, false);
        }
        if (!idempotent() && !overrides.containsKey(MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION)) {
            settings.put(MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        }
    }

    private void check() {
        switch (delivery) {
            case AT_MOST_ONCE -> checkAtMostOnce();
            case AT_LEAST_ONCE -> checkAtLeastOnce();
            case EXACTLY_ONCE -> checkExactlyOnce();
        }
    }

    private void checkAtMostOnce() {
        if (!text(RETRIES_CONFIG).equals("0")) {
            throw conflict(
                    "retries=0",
                    RETRIES_CONFIG,
                    "a retried message may arrive twice",
                    "Remove retries, or choose delivery=at-least-once");
        }
        if (idempotent()) {
            throw conflict(
                    "enable.idempotence=false",
                    ENABLE_IDEMPOTENCE_CONFIG,
                    "idempotence works through retries, which at-most-once does without",
                    "Remove enable.idempotence, or choose delivery=at-least-once");
        }
        refuseTransactionalId();
    }

    private void checkAtLeastOnce() {
        requireAcknowledgement("acks=1 or acks=all");
        requireRetries();
        if (idempotent() && acks().equals("1")) {
            throw conflict(
                    "acks=all when enable.idempotence=true",
                    ACKS_CONFIG,
                    "a leader that fails after its own acknowledgement forgets the sequence",
                    "Remove acks, or set enable.idempotence=false");
        }
        int inFlight = Integer.parseInt(text(MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION));
        if (!idempotent() && inFlight > 1) {
            throw conflict(
                    "max.in.flight.requests.per.connection=1 when enable.idempotence=false",
                    MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                    "a retried batch could overtake the one sent after it and break the partition's order",
                    "Remove one of the two");
        }
        refuseTransactionalId();
    }

    private void checkExactlyOnce() {
        requireAcknowledgement("acks=all");
        requireRetries();
        if (!acks().equals("all")) {
            throw conflict(
                    "acks=all",
                    ACKS_CONFIG,
                    "a transaction must not lose a part of itself with its leader",
                    "Remove acks, or choose delivery=at-least-once");
        }
        if (!idempotent()) {
            throw conflict(
                    "enable.idempotence=true",
                    ENABLE_IDEMPOTENCE_CONFIG,
                    "without it a retried message is stored twice",
                    "Remove enable.idempotence, or choose delivery=at-least-once");
        }
        if (text(TRANSACTIONAL_ID_CONFIG).isEmpty()) {
            throw new PresetConflictException(
                    delivery,
                    TRANSACTIONAL_ID_CONFIG,
                    "no " + TRANSACTIONAL_ID_CONFIG,
                    "it is the name by which a restarted producer ends what its predecessor left open",
                    "Give each producer instance a name that stays the same over restarts");
        }
    }

    private void requireAcknowledgement(String needed) {
        if (acks().equals("0")) {
            throw conflict(
                    needed,
                    ACKS_CONFIG,
                    "without an acknowledgement nobody notices a lost message",
                    "Remove acks, or choose delivery=at-most-once");
        }
    }

    private void requireRetries() {
        if (text(RETRIES_CONFIG).equals("0")) {
            throw conflict(
                    "retries above 0",
                    RETRIES_CONFIG,
                    "a send that fails for a moment would be lost",
                    "Remove retries, or choose delivery=at-most-once");
        }
    }

    private void refuseTransactionalId() {
        if (!text(TRANSACTIONAL_ID_CONFIG).isEmpty()) {
            throw conflict(
                    "no " + TRANSACTIONAL_ID_CONFIG,
                    TRANSACTIONAL_ID_CONFIG,
                    "transactions belong to exactly-once alone",
                    "Remove transactional.id, or choose delivery=exactly-once");
        }
    }

    private PresetConflictException conflict(
            String needed, String key, String reason, String wayOut) {
        return new PresetConflictException(
                delivery, needed, key + "=" + settings.get(key), reason, wayOut);
    }

    /// kafka-clients takes `-1` as another spelling of `all`.
    private String acks() {
        String acks = text(ACKS_CONFIG);
        return acks.equals("-1") ? "all" : acks;
    }

    private boolean idempotent() {
        return Boolean.parseBoolean(text(ENABLE_IDEMPOTENCE_CONFIG));
    }

    private String text(String key) {
        Object value = settings.get(key);
        return value == null ? "" : String.valueOf(value).trim();
    }
}
