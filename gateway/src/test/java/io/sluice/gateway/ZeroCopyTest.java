package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.sluice.env.DiskFile;
import io.sluice.env.Reply;
import io.sluice.env.os.OsClock;
import io.sluice.env.os.OsDisk;
import io.sluice.kafka.api.Answer;
import io.sluice.kafka.api.Dispatcher;
import io.sluice.kafka.api.Peer;
import io.sluice.kafka.api.RequestTimes;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.WireReader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Q13: what is read from a segment is handed to the socket as a range of its file, which the kernel sends (`sendfile`); no byte of it comes into this process.
class ZeroCopyTest {
    @TempDir Path folder;

    @Test
    void aRangeOfAFileIsNeverCopiedAndASmallOneIs() {
        OsDisk disk = new OsDisk(folder);
        DiskFile file = disk.open("segment");
        file.write(ByteBuffer.wrap(new byte[2 << 20]), 0);
        int small = 200;
        int large = 16 << 10;
        int larger = 1 << 20;

        List<Object> sent =
                sent(
                        answer(
                                GatewayTest.response(
                                        GatewayTest.slice(file, 10, small),
                                        GatewayTest.slice(file, 1_000, large),
                                        GatewayTest.slice(file, 100_000, larger))));

        List<FileRegion> regions =
                sent.stream()
                        .filter(FileRegion.class::isInstance)
                        .map(FileRegion.class::cast)
                        .toList();
        assertThat(regions).extracting(FileRegion::position).containsExactly(1_000L, 100_000L);
        assertThat(regions)
                .extracting(FileRegion::count)
                .containsExactly((long) large, (long) larger);
        assertThat(
                        sent.stream()
                                .filter(ByteBuf.class::isInstance)
                                .mapToInt(part -> ((ByteBuf) part).readableBytes())
                                .sum())
                .as("headers and the small range")
                .isBetween(small, large);

        sent.forEach(ReferenceCountUtil::release);
        file.close();
        assertThat(disk.openFiles()).isZero();
    }

    private static Answer answer(ApiResponse response) {
        try (EventLoops loops = new EventLoops(1, _ -> {})) {
            Dispatcher dispatcher =
                    new Dispatcher((_, _) -> Reply.of(response), new OsClock(), new RequestTimes());
            byte[] frame = GatewayTest.fetchFrame(1);
            Peer peer = new Peer("clients", "127.0.0.1", loops.mailboxes().getFirst());
            return dispatcher
                    .dispatch(
                            new WireReader(
                                    ByteBuffer.wrap(
                                            frame, Integer.BYTES, frame.length - Integer.BYTES)),
                            peer)
                    .value();
        }
    }

    /// Everything that the socket is given.
    private static List<Object> sent(Answer answer) {
        EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
        new ReplyWriter(channel.pipeline().firstContext(), new GatewayCounters()).write(answer);
        channel.flush();
        List<Object> parts = new ArrayList<>();
        for (Object part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            parts.add(part);
        }
        channel.close().syncUninterruptibly();
        return parts;
    }
}
