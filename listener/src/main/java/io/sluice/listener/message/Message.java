package io.sluice.listener.message;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One message as a source received it, whatever the source is.
///
/// Immutable, if nobody writes into [#body].
public final class Message {
    private final String id;
    private final String identity;
    private final byte[] body;
    private final Map<String, String> attributes;
    private final @Nullable String key;
    private final String partition;
    private final int attempt;
    private final Object receipt;

    /// Known by its id alone, as a queue's messages are.
    public Message(
            String id,
            byte[] body,
            Map<String, String> attributes,
            @Nullable String key,
            String partition,
            int attempt,
            Object receipt) {
        this(id, id, body, attributes, key, partition, attempt, receipt);
    }

    /// @param id what people find it by: an SQS message id, or `topic-partition@offset`
    /// @param identity what programs know it by, over all its deliveries: see [#identity]
    /// @param key what keeps order with its like: a Kafka key, an SQS message group; none means no order
    /// @param partition what it was read from, for order per partition
    /// @param attempt the how-manieth delivery to a job this is, from 1
    /// @param receipt the source's own handle for it
    public Message(
            String id,
            String identity,
            byte[] body,
            Map<String, String> attributes,
            @Nullable String key,
            String partition,
            int attempt,
            Object receipt) {
        this.id = id;
        this.identity = identity;
        this.body = body;
        this.attributes = Map.copyOf(attributes);
        this.key = key;
        this.partition = partition;
        this.attempt = attempt;
        this.receipt = receipt;
    }

    public String id() {
        return id;
    }

    /// The same for each delivery of this message to this group of workers, and for no other message: what is done once for it is done for good. A topic's record has
    /// another one in each consumer group, since each does something else with it, and in a topic that was made anew, where offsets begin again.
    public String identity() {
        return identity;
    }

    /// The bytes themselves, not a copy.
    public byte[] body() {
        return body;
    }

    /// The body as UTF-8.
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /// Headers or message attributes, those of text.
    public Map<String, String> attributes() {
        return attributes;
    }

    public @Nullable String key() {
        return key;
    }

    public String partition() {
        return partition;
    }

    public int attempt() {
        return attempt;
    }

    /// For the source that made it.
    public Object receipt() {
        return receipt;
    }

    @Override
    public String toString() {
        return "message " + id + " (attempt " + attempt + ")";
    }
}
