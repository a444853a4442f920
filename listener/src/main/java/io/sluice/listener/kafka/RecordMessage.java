package io.sluice.listener.kafka;

import io.sluice.listener.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/// A record as a message.
final class RecordMessage {
    private RecordMessage() {}

    /// @param group whose message it is
    static Message of(
            String group, ConsumerRecord<byte[], byte[]> record, int attempt, Object receipt) {
        Map<String, String> attributes = new HashMap<>();
        for (Header header : record.headers()) {
            if (header.value() != null) {
                attributes.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
            }
        }
        String partition = record.topic() + "-" + record.partition();
        String id = partition + "@" + record.offset();
        return new Message(
                id,
                // Its time stays as it is as long as there is the record, and tells it from the one
                // that had its offset before the topic was made anew.
                group + "/" + id + "/" + record.timestamp(),
                record.value() == null ? new byte[0] : record.value(),
                attributes,
                record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8),
                partition,
                attempt,
                receipt);
    }
}
