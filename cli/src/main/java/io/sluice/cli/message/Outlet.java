package io.sluice.cli.message;

import io.sluice.cli.Failure;
import org.apache.kafka.clients.producer.Producer;

/// Where messages leave for their topic: checked, sent, and noted in the report when they have arrived or failed.
///
/// Owned by the main thread; acknowledgements come on the producer's.
final class Outlet {
    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final KnownPartitions partitions;
    private final SendReport report;

    Outlet(
            Producer<byte[], byte[]> producer,
            String topic,
            KnownPartitions partitions,
            SendReport report) {
        this.producer = producer;
        this.topic = topic;
        this.partitions = partitions;
        this.report = report;
    }

    void send(Outgoing message) {
        Integer partition = message.partition();
        if (partition != null) {
            try {
                partitions.require(partition);
            } catch (Failure refused) {
                report.failed(refused);
                return;
            }
        }
        // The callback says all that the future would.
        var _ =
                producer.send(
                        message.to(topic),
                        (metadata, failure) -> {
                            if (failure == null) {
                                report.acknowledged(metadata);
                            } else {
                                report.failed(failure);
                            }
                        });
    }
}
