package io.sluice.kafka.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.Struct;

/// Writes the inputs that the fuzzers start from, a request and a response of every API: `FuzzCorpus <resources>`.
///
/// To be run when an API or version is new; what the fuzzers themselves have found stays beside them.
final class FuzzCorpus {
    private static final int LARGEST = 300;

    private FuzzCorpus() {}

    public static void main(String[] arguments) throws IOException {
        Path resources = Path.of(arguments[0]);
        Path requests =
                Files.createDirectories(
                        resources.resolve("RequestFuzzTestInputs/anyBytesAreARequestOrMalformed"));
        Path responses =
                Files.createDirectories(
                        resources.resolve(
                                "ResponseFuzzTestInputs/anyBytesAreAResponseOrMalformed"));
        for (ApiKeys api : ApiKeys.values()) {
            if (api.hasValidVersion()) {
                writeRequest(requests, api, KafkaMessage.requestsOf(api).getLast());
                writeResponse(responses, api, KafkaMessage.responsesOf(api).getLast());
            }
        }
    }

    private static void writeRequest(Path folder, ApiKeys api, KafkaMessage message)
            throws IOException {
        WireWriter head = new WireWriter();
        new RequestHeader(ApiKey.valueOf(api.name()), message.version(), 7, "fuzz").write(head);
        write(folder, api, message, head);
    }

    /// What was asked stands in front of it, see [ResponseFuzzTest].
    private static void writeResponse(Path folder, ApiKeys api, KafkaMessage message)
            throws IOException {
        ApiKey key = ApiKey.valueOf(api.name());
        WireWriter head = new WireWriter();
        head.writeShort(key.id());
        head.writeShort(message.version());
        new ResponseHeader(7).write(head, key, message.version());
        write(folder, api, message, head);
    }

    private static void write(Path folder, ApiKeys api, KafkaMessage message, WireWriter head)
            throws IOException {
        byte[] front = Bytes.of(head);
        byte[] body = smallBody(message);
        ByteBuffer frame = ByteBuffer.allocate(front.length + body.length);
        frame.put(front).put(body);
        String name = api.name().toLowerCase(Locale.ROOT) + "-v" + message.version();
        Files.write(folder.resolve(name), frame.array());
    }

    private static byte[] smallBody(KafkaMessage message) {
        for (long seed = 1; ; seed++) {
            Struct struct = new RandomStructs(seed).struct(message.schema());
            if (struct.sizeOf() <= LARGEST) {
                ByteBuffer bytes = ByteBuffer.allocate(struct.sizeOf());
                struct.writeTo(bytes);
                return bytes.array();
            }
        }
    }
}
