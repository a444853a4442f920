package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.wire.message.ApiVersionsRequest;
import io.sluice.kafka.wire.message.ApiVersionsResponse;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.record.Records;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The frames in `docs/formats/kafka-frame.md`, byte for byte: the page cannot say what the codec does not do.
class GoldenFrameTest {
    private static final Path PAGE = Path.of("..", "docs", "formats", "kafka-frame.md");
    private static final Pattern BLOCK =
            Pattern.compile("### Frame: (.+?)\n.*?```\n(.*?)```", Pattern.DOTALL);
    private static final Records RECORDS =
            new Records.InMemory(ByteBuffer.wrap(new byte[] {1, 2, 3}));

    @Test
    void thePageShowsWhatIsWritten() throws IOException {
        Map<String, String> written = new LinkedHashMap<>();
        written.put("ApiVersions request, version 3", request(3, "rdkafka", apiVersions()));
        written.put("Metadata request, version 1", request(1, null, metadata()));
        written.put("Produce request, version 9", request(9, "p", produce()));
        written.put("ApiVersions response, version 3", response(3, apiVersionsResponse()));
        written.put("Fetch response, version 13", response(13, fetched()));
        assertThat(golden()).isEqualTo(written);
    }

    @Test
    void theFramesOnThePageAreReadAsWhatTheySay() throws IOException {
        Map<String, String> golden = golden();
        assertThat(read(golden, "ApiVersions request, version 3")).isEqualTo(apiVersions());
        assertThat(read(golden, "Metadata request, version 1")).isEqualTo(metadata());
        assertThat(read(golden, "Produce request, version 9")).isEqualTo(produce());
    }

    private static ApiRequest apiVersions() {
        return ApiVersionsRequest.builder()
                .clientSoftwareName("librdkafka")
                .clientSoftwareVersion("2.0")
                .build();
    }

    private static ApiRequest metadata() {
        MetadataRequest.MetadataRequestTopic topic =
                MetadataRequest.MetadataRequestTopic.builder().name("orders").build();
        return MetadataRequest.builder().topics(List.of(topic)).build();
    }

    private static ApiRequest produce() {
        ProduceRequest.PartitionProduceData partition =
                ProduceRequest.PartitionProduceData.builder().index(2).records(RECORDS).build();
        ProduceRequest.TopicProduceData topic =
                ProduceRequest.TopicProduceData.builder()
                        .name("orders")
                        .partitionData(List.of(partition))
                        .build();
        return ProduceRequest.builder()
                .acks((short) -1)
                .timeoutMs(30_000)
                .topicData(List.of(topic))
                .build();
    }

    private static ApiResponse apiVersionsResponse() {
        ApiVersionsResponse.ApiVersion produce =
                ApiVersionsResponse.ApiVersion.builder()
                        .apiKey(ApiKey.PRODUCE.id())
                        .minVersion((short) 3)
                        .maxVersion((short) 13)
                        .build();
        return ApiVersionsResponse.builder()
                .apiKeys(List.of(produce))
                .finalizedFeaturesEpoch(1)
                .build();
    }

    private static ApiResponse fetched() {
        FetchResponse.PartitionData partition =
                FetchResponse.PartitionData.builder()
                        .partitionIndex(2)
                        .highWatermark(7)
                        .lastStableOffset(7)
                        .logStartOffset(0)
                        .currentLeader(
                                FetchResponse.LeaderIdAndEpoch.builder()
                                        .leaderId(1)
                                        .leaderEpoch(4)
                                        .build())
                        .records(RECORDS)
                        .build();
        FetchResponse.FetchableTopicResponse topic =
                FetchResponse.FetchableTopicResponse.builder()
                        .topicId(new UUID(0x0011223344556677L, 0x8899aabbccddeeffL))
                        .partitions(List.of(partition))
                        .build();
        return FetchResponse.builder().responses(List.of(topic)).build();
    }

    private static String request(int version, @Nullable String clientId, ApiRequest request) {
        ApiKey api = Objects.requireNonNull(ApiKey.find(request.apiKey()));
        WireWriter out = new WireWriter();
        Frame.writeRequest(out, new RequestHeader(api, (short) version, 5, clientId), request);
        return Bytes.hex(Bytes.of(out));
    }

    private static String response(int version, ApiResponse response) {
        ApiKey api = Objects.requireNonNull(ApiKey.find(response.apiKey()));
        WireWriter out = new WireWriter();
        Frame.writeResponse(out, api, (short) version, 5, response);
        return Bytes.hex(Bytes.of(out));
    }

    private static ApiRequest read(Map<String, String> golden, String name) {
        String hex = Objects.requireNonNull(golden.get(name));
        WireReader in = new WireReader(ByteBuffer.wrap(HexFormat.ofDelimiter(" ").parseHex(hex)));
        assertThat(in.readInt()).isEqualTo(in.remaining());
        RequestHeader header = RequestHeader.read(in);
        assertThat(header.correlationId()).isEqualTo(5);
        ApiRequest request = Messages.readRequest(header.api(), header.version(), in);
        assertThat(in.remaining()).isZero();
        return request;
    }

    /// Name and bytes of each frame on the page; of each line what stands before the two spaces of its explanation.
    private static Map<String, String> golden() throws IOException {
        Map<String, String> frames = new LinkedHashMap<>();
        Matcher blocks = BLOCK.matcher(Files.readString(PAGE));
        while (blocks.find()) {
            StringBuilder hex = new StringBuilder();
            for (String line : blocks.group(2).split("\n")) {
                hex.append(line.split("  ")[0].strip()).append(' ');
            }
            frames.put(blocks.group(1), hex.toString().strip());
        }
        return frames;
    }
}
