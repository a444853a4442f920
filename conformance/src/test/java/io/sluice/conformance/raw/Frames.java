package io.sluice.conformance.raw;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;

/// Builds requests with the classes of kafka-clients, to be sent as they are or to be spoilt first.
public final class Frames {
    private Frames() {}

    /// A whole frame: size, header, body.
    public static byte[] request(ApiKeys api, int version, ApiMessage body) {
        short apiVersion = (short) version;
        RequestHeaderData header =
                new RequestHeaderData()
                        .setRequestApiKey(api.id)
                        .setRequestApiVersion(apiVersion)
                        .setCorrelationId(7)
                        .setClientId("raw");
        ByteBuffer head =
                MessageUtil.toByteBufferAccessor(header, api.requestHeaderVersion(apiVersion))
                        .buffer();
        ByteBuffer rest = MessageUtil.toByteBufferAccessor(body, apiVersion).buffer();
        return ByteBuffer.allocate(4 + head.remaining() + rest.remaining())
                .putInt(head.remaining() + rest.remaining())
                .put(head)
                .put(rest)
                .array();
    }

    /// A frame with a header of version 1 and these bytes as its body, whatever they are.
    public static byte[] frame(int apiKey, int apiVersion, byte[] body) {
        return ByteBuffer.allocate(4 + 10 + body.length)
                .putInt(10 + body.length)
                .putShort((short) apiKey)
                .putShort((short) apiVersion)
                .putInt(7)
                .putShort((short) -1)
                .put(body)
                .array();
    }

    public static byte[] apiVersions() {
        return request(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData());
    }

    /// Produce v9 to partition 0 with these bytes as its records.
    public static byte[] produce(String topic, byte[] records) {
        ProduceRequestData.TopicProduceDataCollection topics =
                new ProduceRequestData.TopicProduceDataCollection();
        topics.add(
                new ProduceRequestData.TopicProduceData()
                        .setName(topic)
                        .setPartitionData(
                                List.of(
                                        new ProduceRequestData.PartitionProduceData()
                                                .setIndex(0)
                                                .setRecords(
                                                        MemoryRecords.readableRecords(
                                                                ByteBuffer.wrap(records))))));
        return request(
                ApiKeys.PRODUCE,
                9,
                new ProduceRequestData()
                        .setAcks((short) -1)
                        .setTimeoutMs(30_000)
                        .setTopicData(topics));
    }

    /// The error code in the answer to [#produce].
    public static short produceError(ByteBuffer answer) {
        ByteBufferAccessor readable = new ByteBufferAccessor(answer);
        ResponseHeaderData header = new ResponseHeaderData(readable, (short) 1);
        if (header.correlationId() != 7) {
            throw new AssertionError("Answer to another request: " + header);
        }
        return new ProduceResponseData(readable, (short) 9)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .getFirst()
                .errorCode();
    }

    /// Fetch v11 of partition 0.
    public static byte[] fetch(String topic, long offset, int maxBytes, int maxWaitMillis) {
        FetchRequestData.FetchPartition partition =
                new FetchRequestData.FetchPartition()
                        .setPartition(0)
                        .setFetchOffset(offset)
                        .setPartitionMaxBytes(maxBytes);
        return request(
                ApiKeys.FETCH,
                11,
                new FetchRequestData()
                        .setMaxWaitMs(maxWaitMillis)
                        .setMinBytes(1)
                        .setMaxBytes(maxBytes)
                        .setTopics(
                                List.of(
                                        new FetchRequestData.FetchTopic()
                                                .setTopic(topic)
                                                .setPartitions(List.of(partition)))));
    }
}
