package io.sluice.kafka.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Reply;
import io.sluice.kafka.api.cluster.ApiVersionsHandler;
import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.Frame;
import io.sluice.kafka.wire.MalformedRequest;
import io.sluice.kafka.wire.RequestHeader;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.kafka.wire.message.ApiVersionsRequest;
import io.sluice.kafka.wire.message.ApiVersionsResponse;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.kafka.wire.message.ProduceResponse;
import io.sluice.partition.ManualTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// From a frame to its handler and back (Q38).
class DispatcherTest {
    private final ManualTime time = new ManualTime();
    private final RequestTimes times = new RequestTimes();
    private final List<RequestContext> asked = new ArrayList<>();
    private final Reply<ApiResponse> reply = new Reply<>();
    private final Peer peer = new Peer("clients", "127.0.0.1", time.mailbox());
    private final Dispatcher dispatcher =
            new Dispatcher(
                    (_, context) -> {
                        asked.add(context);
                        return reply;
                    },
                    time,
                    times);

    private Reply<Answer> dispatch(ByteBuffer frame) {
        return dispatcher.dispatch(new WireReader(frame), peer);
    }

    private static ByteBuffer frame(ApiKey api, int version, int id, ApiRequest request) {
        WireWriter out = new WireWriter();
        Frame.writeRequest(out, new RequestHeader(api, (short) version, id, "me"), request);
        return bytes(out).position(4).slice();
    }

    private static ByteBuffer bytes(WireWriter out) {
        ByteBuffer all = ByteBuffer.allocate(out.sizeInBytes());
        for (WirePart part : out.parts()) {
            if (part instanceof WirePart.Bytes(ByteBuffer some)) {
                all.put(some.duplicate());
            }
        }
        return all.flip();
    }

    private static ByteBuffer encode(Reply<Answer> answer) {
        WireWriter out = new WireWriter();
        answer.value().encode(out);
        return bytes(out);
    }

    private static ApiVersionsRequest versions() {
        return ApiVersionsRequest.builder()
                .clientSoftwareName("a")
                .clientSoftwareVersion("1")
                .build();
    }

    @Test
    void theHandlerLearnsWhoAsksAndTheAnswerCarriesTheNumberOfTheRequest() {
        Reply<Answer> answer = dispatch(frame(ApiKey.API_VERSIONS, 4, 42, versions()));
        assertThat(asked).containsExactly(new RequestContext((short) 4, "me", peer));
        assertThat(answer.isDone()).isFalse();
        reply.complete(ApiVersionsResponse.builder().build());
        assertThat(encode(answer).getInt(4)).isEqualTo(42);
    }

    /// KIP-511: version 0 of the answer, which every client can read, says what there is.
    @Test
    void anUnknownVersionOfApiVersionsIsAnsweredInVersionZero() {
        ByteBuffer fromTheFuture =
                ByteBuffer.allocate(20).putShort((short) 18).putShort((short) 99).putInt(7);
        Reply<Answer> answer = dispatch(fromTheFuture.putShort((short) -1).put((byte) 0).flip());
        ByteBuffer bytes = encode(answer);
        assertThat(bytes.getInt(4)).isEqualTo(7);
        ApiVersionsResponse response =
                ApiVersionsResponse.read(new WireReader(bytes.position(8).slice()), (short) 0);
        assertThat(response.errorCode()).isEqualTo((short) 35);
        assertThat(response.apiKeys()).isNotEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void otherUnknownVersionsAndApisEndTheConnection() {
        for (short[] unknown : new short[][] {{0, 99}, {0, 2}, {9999, 0}, {-1, 0}, {3, -1}}) {
            ByteBuffer frame =
                    ByteBuffer.allocate(20).putShort(unknown[0]).putShort(unknown[1]).putInt(7);
            frame.putShort((short) -1).flip();
            assertThatThrownBy(() -> dispatch(frame)).isInstanceOf(MalformedRequest.class);
        }
        assertThat(asked).isEmpty();
    }

    /// Replication's and the controllers' own APIs are nothing for clients.
    @Test
    void whatIsNotOfferedIsRefused() {
        for (ApiKey key : ApiKey.values()) {
            if (SupportedApis.find(key) != null) {
                continue;
            }
            ByteBuffer frame =
                    ByteBuffer.allocate(20).putShort(key.id()).putShort(key.highestVersion());
            frame.putInt(7).putShort((short) -1).flip();
            assertThatThrownBy(() -> dispatch(frame))
                    .as(key.name())
                    .isInstanceOf(MalformedRequest.class);
        }
    }

    @Test
    void whatIsOfferedIsTold() {
        Reply<ApiVersionsResponse> offered =
                new ApiVersionsHandler()
                        .handle(versions(), new RequestContext((short) 4, "me", peer));
        for (SupportedApis.Range range : SupportedApis.offered()) {
            assertThat(offered.value().apiKeys())
                    .anySatisfy(
                            told -> {
                                assertThat(told.apiKey()).isEqualTo(range.key().id());
                                assertThat(told.maxVersion()).isEqualTo(range.highest());
                            });
        }
    }

    /// Q25: acks=0.
    @Test
    void aProduceRequestThatWantsNoAnswerGetsNone() {
        Reply<Answer> answer =
                dispatch(
                        frame(
                                ApiKey.PRODUCE,
                                9,
                                1,
                                ProduceRequest.builder().acks((short) 0).build()));
        reply.complete(ProduceResponse.builder().build());
        assertThat(answer.value().isSilent()).isTrue();
        assertThat(encode(answer).remaining()).isZero();
    }

    @Test
    void theTimeOfARequestIsCounted() {
        dispatch(frame(ApiKey.API_VERSIONS, 4, 42, versions()));
        time.advance(Duration.ofSeconds(3));
        reply.complete(ApiVersionsResponse.builder().build());
        List<String> counted = new ArrayList<>();
        times.forEach(
                (key, durations) -> {
                    if (durations.count() > 0) {
                        counted.add(key + " " + durations.totalSeconds());
                    }
                });
        assertThat(counted).containsExactly("API_VERSIONS 3.0");
    }

    @Test
    void aClientThatGoesAwayEndsWhatWaitsForIt() {
        List<String> ended = new ArrayList<>();
        Runnable first = () -> ended.add("first");
        Runnable second = () -> ended.add("second");
        peer.waiting(first);
        peer.waiting(second);
        peer.doneWaiting(first);
        assertThat(peer.isGone()).isFalse();
        peer.gone();
        peer.gone();
        assertThat(ended).containsExactly("second");
        assertThat(peer.isGone()).isTrue();
    }
}
