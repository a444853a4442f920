package io.sluice.kafka.wire;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.Schema;

/// A message in one version, as kafka-clients has it and as we have it: what the oracle tests compare.
///
/// @param ours our record
/// @param kafka makes an empty one of Kafka's objects
/// @param schema Kafka's description of exactly this version
record KafkaMessage(
        Class<? extends Record> ours, Supplier<Message> kafka, Schema schema, short version) {
    private static final ClassValue<Record> DEFAULTS =
            new ClassValue<>() {
                @Override
                protected Record computeValue(Class<?> type) {
                    return OurRecords.build(type.asSubclass(Record.class), Map.of());
                }
            };

    /// Requests and responses of all APIs in all versions, unstable ones included.
    static List<KafkaMessage> ofAllApis() {
        List<KafkaMessage> messages = new ArrayList<>();
        for (ApiKeys api : ApiKeys.values()) {
            if (api.hasValidVersion()) {
                messages.addAll(requestsOf(api));
                messages.addAll(responsesOf(api));
            }
        }
        return messages;
    }

    static List<KafkaMessage> requestsOf(ApiKeys api) {
        return inAllVersions(api.messageType::newRequest, api.messageType.requestSchemas());
    }

    static List<KafkaMessage> responsesOf(ApiKeys api) {
        return inAllVersions(api.messageType::newResponse, api.messageType.responseSchemas());
    }

    /// Headers and the data that consumers put into their group requests.
    static List<KafkaMessage> ofHeadersAndData() {
        List<KafkaMessage> messages = new ArrayList<>();
        messages.addAll(inAllVersions(RequestHeaderData::new, RequestHeaderData.SCHEMAS));
        messages.addAll(inAllVersions(ResponseHeaderData::new, ResponseHeaderData.SCHEMAS));
        messages.addAll(
                inAllVersions(
                        ConsumerProtocolSubscription::new, ConsumerProtocolSubscription.SCHEMAS));
        messages.addAll(
                inAllVersions(ConsumerProtocolAssignment::new, ConsumerProtocolAssignment.SCHEMAS));
        return messages;
    }

    private static List<KafkaMessage> inAllVersions(Supplier<Message> kafka, Schema[] schemas) {
        Message empty = kafka.get();
        List<KafkaMessage> messages = new ArrayList<>();
        for (short v = empty.lowestSupportedVersion(); v <= empty.highestSupportedVersion(); v++) {
            messages.add(new KafkaMessage(oursFor(empty), kafka, schemas[v], v));
        }
        return messages;
    }

    /// `FetchRequestData` there is `FetchRequest` here.
    private static Class<? extends Record> oursFor(Message kafka) {
        String name = kafka.getClass().getSimpleName().replaceFirst("Data$", "");
        try {
            return Class.forName("io.sluice.kafka.wire.message." + name).asSubclass(Record.class);
        } catch (ClassNotFoundException e) {
            throw new LinkageError("no record for " + kafka.getClass(), e);
        }
    }

    String name() {
        return ours.getSimpleName() + " v" + version;
    }

    boolean isRequest() {
        return ApiRequest.class.isAssignableFrom(ours);
    }

    byte[] encodedByKafka(Message message) {
        ByteBuffer buffer = MessageUtil.toByteBufferAccessor(message, version).buffer();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    Message decodedByKafka(byte[] bytes) {
        Message message = kafka.get();
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        message.read(new ByteBufferAccessor(buffer), version);
        if (buffer.hasRemaining()) {
            throw new AssertionError(name() + ": Kafka left " + buffer.remaining() + " bytes");
        }
        return message;
    }

    static byte[] encodedByUs(Record message, short version) {
        WireWriter out = new WireWriter();
        ((WireMessage) message).write(out, version);
        return Bytes.of(out);
    }

    byte[] encodedByUs(Record message) {
        return encodedByUs(message, version);
    }

    Record decodedByUs(byte[] bytes) {
        WireReader in = new WireReader(ByteBuffer.wrap(bytes));
        Record message = decodedByUs(in);
        if (in.remaining() != 0) {
            throw new AssertionError(name() + ": we left " + in.remaining() + " bytes");
        }
        return message;
    }

    /// Through the switch that the broker uses; headers and data through their own method.
    Record decodedByUs(WireReader in) {
        if (ApiMessage.class.isAssignableFrom(ours)) {
            ApiKey api = Objects.requireNonNull(ApiKey.find(((ApiMessage) defaults()).apiKey()));
            return (Record)
                    (isRequest()
                            ? Messages.readRequest(api, version, in)
                            : Messages.readResponse(api, version, in));
        }
        try {
            Method read = ours.getMethod("read", WireReader.class, short.class);
            return (Record) read.invoke(null, in, version);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(name(), e);
        }
    }

    Record defaults() {
        return DEFAULTS.get(ours);
    }
}
