package io.sluice.kafka.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.Struct;

/// Writes the inputs that the fuzzer starts from, a request of every API: `FuzzCorpus <folder>`.
///
/// To be run when an API or version is new; what the fuzzer itself has found stays beside them.
final class FuzzCorpus {
    private static final int LARGEST = 300;

    private FuzzCorpus() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        for (ApiKeys api : ApiKeys.values()) {
            if (api.hasValidVersion()) {
                List<KafkaMessage> versions = KafkaMessage.requestsOf(api);
                write(folder, api, versions.getLast());
            }
        }
    }

    private static void write(Path folder, ApiKeys api, KafkaMessage message) throws IOException {
        ApiKey key = ApiKey.valueOf(api.name());
        RequestHeader header = new RequestHeader(key, message.version(), 7, "fuzz");
        for (long seed = 1; ; seed++) {
            Struct struct = new RandomStructs(seed).struct(message.schema());
            if (struct.sizeOf() > LARGEST) {
                continue;
            }
            ByteBuffer bytes = ByteBuffer.allocate(struct.sizeOf());
            struct.writeTo(bytes);
            WireWriter out = new WireWriter();
            header.write(out);
            byte[] head = Bytes.of(out);
            ByteBuffer frame = ByteBuffer.allocate(head.length + bytes.position());
            frame.put(head).put(bytes.flip());
            String name = api.name().toLowerCase(Locale.ROOT) + "-v" + message.version();
            Files.write(folder.resolve(name), frame.array());
            return;
        }
    }
}
