package io.sluice.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;

/// The hand-written frames, read back by the code of kafka-clients.
class RequestFrameTest {
    private static final int ERROR = 77;

    @Test
    void aProduceFrameHoldsOneValidRecord() {
        ByteBuffer body = body(RequestFrame.produce("ähm", 3, Acks.ALL, 100));

        ProduceRequestData request =
                new ProduceRequestData(new ByteBufferAccessor(body), (short) 9);

        assertThat(body.hasRemaining()).isFalse();
        assertThat(request.acks()).isEqualTo((short) -1);
        ProduceRequestData.TopicProduceData topic = request.topicData().iterator().next();
        assertThat(topic.name()).isEqualTo("ähm");
        assertThat(topic.partitionData().getFirst().index()).isEqualTo(3);
        MemoryRecords records = (MemoryRecords) topic.partitionData().getFirst().records();
        List<? extends RecordBatch> batches =
                java.util.stream.StreamSupport.stream(records.batches().spliterator(), false)
                        .toList();
        assertThat(batches).hasSize(1);
        batches.getFirst().ensureValid();
        Record record = records.records().iterator().next();
        assertThat(record.valueSize()).isEqualTo(100);
        assertThat(record.hasKey()).isFalse();
    }

    @Test
    void theErrorCodeOfAProduceAnswerIsFound() {
        ProduceResponseData.TopicProduceResponse topic =
                new ProduceResponseData.TopicProduceResponse()
                        .setName("ähm")
                        .setPartitionResponses(
                                List.of(
                                        new ProduceResponseData.PartitionProduceResponse()
                                                .setErrorCode((short) ERROR)));
        ProduceResponseData.TopicProduceResponseCollection topics =
                new ProduceResponseData.TopicProduceResponseCollection();
        topics.add(topic);

        ByteBuffer answer = answer(new ProduceResponseData().setResponses(topics), 9, 1);

        int position = RequestFrame.produce("ähm", 0, Acks.ONE, 10).errorCodePosition();
        assertThat(answer.getShort(position)).isEqualTo((short) ERROR);
    }

    @Test
    void aCreateTopicFrameNamesTopicPartitionsAndReplicas() {
        ByteBuffer body = body(RequestFrame.createTopic("orders", 12, 3, 2));

        CreateTopicsRequestData request =
                new CreateTopicsRequestData(new ByteBufferAccessor(body), (short) 4);

        assertThat(body.hasRemaining()).isFalse();
        CreateTopicsRequestData.CreatableTopic topic = request.topics().iterator().next();
        assertThat(topic.name()).isEqualTo("orders");
        assertThat(topic.numPartitions()).isEqualTo(12);
        assertThat(topic.replicationFactor()).isEqualTo((short) 3);
        CreateTopicsRequestData.CreatableTopicConfig setting = topic.configs().iterator().next();
        assertThat(setting.name()).isEqualTo("min.insync.replicas");
        assertThat(setting.value()).isEqualTo("2");
    }

    @Test
    void theErrorCodeOfACreateTopicAnswerIsFound() {
        CreateTopicsResponseData.CreatableTopicResultCollection topics =
                new CreateTopicsResponseData.CreatableTopicResultCollection();
        topics.add(
                new CreateTopicsResponseData.CreatableTopicResult()
                        .setName("orders")
                        .setErrorCode((short) ERROR));

        ByteBuffer answer = answer(new CreateTopicsResponseData().setTopics(topics), 4, 0);

        int position = RequestFrame.createTopic("orders", 1, 1, 1).errorCodePosition();
        assertThat(answer.getShort(position)).isEqualTo((short) ERROR);
    }

    @Test
    void aFetchFrameAsksForOnePartitionFromAnOffset() {
        ByteBuffer body = body(RequestFrame.fetch("orders", 5, 1_000_000_000_000L, 1 << 20));

        FetchRequestData request = new FetchRequestData(new ByteBufferAccessor(body), (short) 11);

        assertThat(body.hasRemaining()).isFalse();
        assertThat(request.maxBytes()).isEqualTo(1 << 20);
        assertThat(request.sessionEpoch()).isEqualTo(-1);
        FetchRequestData.FetchTopic topic = request.topics().getFirst();
        assertThat(topic.topic()).isEqualTo("orders");
        assertThat(topic.partitions().getFirst().partition()).isEqualTo(5);
        assertThat(topic.partitions().getFirst().fetchOffset()).isEqualTo(1_000_000_000_000L);
        assertThat(topic.partitions().getFirst().partitionMaxBytes()).isEqualTo(1 << 20);
    }

    @Test
    void theErrorCodeOfAFetchAnswerIsFound() {
        FetchResponseData data =
                new FetchResponseData()
                        .setResponses(
                                List.of(
                                        new FetchResponseData.FetchableTopicResponse()
                                                .setTopic("orders")
                                                .setPartitions(
                                                        List.of(
                                                                new FetchResponseData
                                                                                .PartitionData()
                                                                        .setRecords(
                                                                                MemoryRecords.EMPTY)
                                                                        .setErrorCode(
                                                                                (short) ERROR)))));

        ByteBuffer answer = answer(data, 11, 0);

        int position = RequestFrame.fetch("orders", 0, 0, 1).errorCodePosition();
        assertThat(answer.getShort(position)).isEqualTo((short) ERROR);
    }

    /// Checks the size and reads the header; what is left is the body.
    private static ByteBuffer body(RequestFrame frame) {
        ByteBuffer bytes = frame.bytes().duplicate();
        assertThat(bytes.getInt()).isEqualTo(bytes.remaining());
        RequestHeader header = RequestHeader.parse(bytes);
        assertThat(header.clientId()).isEqualTo("sluice-bench");
        return bytes;
    }

    /// An answer as it stands behind its size.
    private static ByteBuffer answer(Message message, int version, int headerVersion) {
        ByteBuffer header =
                MessageUtil.toByteBufferAccessor(new ResponseHeaderData(), (short) headerVersion)
                        .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(message, (short) version).buffer();
        return ByteBuffer.allocate(header.remaining() + body.remaining())
                .put(header)
                .put(body)
                .flip();
    }
}
