package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.os.ThreadMailbox;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Real sockets: what the simulated network stands in for must behave like this.
class PeerNetworkTest {
    private static final int FRAME_MAX = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    static {
        Leaks.watch();
    }

    private final EventLoops loops = new EventLoops(2, PeerNetworkTest::fail);
    private final PeerNetwork network = new PeerNetwork(loops, FRAME_MAX, PATIENCE);
    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
    private ServerSocket server = unbound();

    @AfterAll
    static void noBufferIsLeftBehind() {
        assertThat(Leaks.take()).isEmpty();
    }

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        loops.close();
    }

    @Test
    void framesSentBeforeTheConnectionIsOpenArriveInOrder() throws IOException {
        Network.Link link = connect(home());
        for (int i = 0; i < 100; i++) {
            link.send(frame("message " + i));
        }
        try (Socket accepted = accept();
                DataInputStream in = new DataInputStream(accepted.getInputStream())) {
            for (int i = 0; i < 100; i++) {
                assertThat(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8))
                        .isEqualTo("message " + i);
            }
        }
    }

    @Test
    void framesArriveWholeHoweverTheyWereCutOnTheWay() throws IOException {
        connect(home());
        try (Socket accepted = accept();
                DataOutputStream out = new DataOutputStream(accepted.getOutputStream())) {
            byte[] bytes = frame("in many pieces").array();
            for (byte one : bytes) {
                out.write(one);
                out.flush();
            }
            out.write(frame("").array());
            byte[] large = frame("x".repeat(FRAME_MAX)).array();
            out.write(large);
            out.flush();
            assertThat(next()).isEqualTo("received in many pieces");
            assertThat(next()).isEqualTo("received ");
            assertThat(next()).isEqualTo("received " + "x".repeat(FRAME_MAX));
        }
    }

    @Test
    void nobodyListeningIsARefusal() throws IOException {
        server.close();
        connect(home());
        assertThat(next()).startsWith("closed, refused: ");
    }

    @Test
    void aNameThatNobodyKnowsIsNoRefusal() {
        Network.Link unused =
                network.connect("no-such-host.invalid", server.getLocalPort(), home(), listener());
        assertThat(unused).isNotNull();
        assertThat(next()).contains("no-such-host.invalid").doesNotContain("refused");
    }

    @Test
    void theOtherSideGoingAwayIsToldOnceAndIsNoRefusal() throws IOException {
        Network.Link link = connect(home());
        accept().close();
        assertThat(next()).startsWith("closed: ");
        link.send(frame("too late"));
        link.close();
        connect(home());
        accept().close();
        assertThat(next()).startsWith("closed: ");
        assertThat(news).isEmpty();
    }

    @Test
    void closingFromHereIsToldOnceAndReachesTheOtherSide() throws IOException {
        Network.Link link = connect(home());
        try (Socket accepted = accept()) {
            loops.mailboxes().getFirst().post(link::close);
            assertThat(next()).isEqualTo("closed: closed from here");
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aFrameBeyondTheLimitEndsTheConnection() throws IOException {
        connect(home());
        try (Socket accepted = accept();
                DataOutputStream out = new DataOutputStream(accepted.getOutputStream())) {
            out.writeInt(FRAME_MAX + 1);
            out.flush();
            assertThat(next()).startsWith("closed: ").contains(String.valueOf(FRAME_MAX));
        }
    }

    @Test
    void newsComesOnTheHomeMailboxWhateverItIs() throws Exception {
        try (ThreadMailbox elsewhere = new ThreadMailbox("elsewhere", PeerNetworkTest::fail)) {
            BlockingQueue<Boolean> atHome = new LinkedBlockingQueue<>();
            Network.Link unused =
                    network.connect(
                            "127.0.0.1",
                            server.getLocalPort(),
                            elsewhere,
                            new Network.Listener() {
                                @Override
                                public void received(ByteBuffer frame) {
                                    atHome.add(elsewhere.isCurrent());
                                }

                                @Override
                                public void closed(boolean refused, String why) {
                                    atHome.add(elsewhere.isCurrent());
                                }
                            });
            assertThat(unused).isNotNull();
            try (Socket accepted = accept()) {
                accepted.getOutputStream().write(frame("hello").array());
                assertThat(atHome.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            }
            assertThat(atHome.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    private Mailbox home() {
        return loops.mailboxes().getFirst();
    }

    private Network.Link connect(Mailbox home) {
        return network.connect("127.0.0.1", server.getLocalPort(), home, listener());
    }

    private Network.Listener listener() {
        return new Network.Listener() {
            @Override
            public void received(ByteBuffer frame) {
                news.add("received " + StandardCharsets.UTF_8.decode(frame));
            }

            @Override
            public void closed(boolean refused, String why) {
                news.add("closed" + (refused ? ", refused: " : ": ") + why);
            }
        };
    }

    private Socket accept() throws IOException {
        server.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        return server.accept();
    }

    private String next() {
        try {
            String told = news.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return told == null ? "nothing was told" : told;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ByteBuffer frame(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + bytes.length)
                .putInt(bytes.length)
                .put(bytes)
                .flip();
    }

    private static ServerSocket unbound() {
        try {
            return new ServerSocket();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void fail(Throwable bug) {
        throw new AssertionError(bug);
    }
}
