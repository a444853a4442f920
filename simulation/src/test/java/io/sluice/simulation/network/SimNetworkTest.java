package io.sluice.simulation.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Network;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimNetworkTest {
    private final SimWorld world = new SimWorld(7);
    private final SimNetwork network = new SimNetwork(world);
    private final SimProcess caller = new SimProcess("caller");
    private final SimProcess server = new SimProcess("server");
    private final Heard heardByServer = new Heard();
    private final Heard heardByCaller = new Heard();
    private final List<Network.Link> accepted = new ArrayList<>();

    private static final class Heard implements Network.Listener {
        final List<Integer> frames = new ArrayList<>();
        final List<String> ends = new ArrayList<>();

        @Override
        public void received(ByteBuffer frame) {
            frames.add(frame.getInt());
        }

        @Override
        public void closed(boolean refused, String why) {
            ends.add(refused ? "refused" : why);
        }
    }

    @Test
    void framesArriveOnceAndInOrderInBothDirections() {
        Network.Link link = connectToListening();
        for (int i = 0; i < 100; i++) {
            link.send(frame(i));
        }
        world.runFor(Duration.ofSeconds(1));
        accepted.getFirst().send(frame(7));
        accepted.getFirst().send(frame(8));
        world.runFor(Duration.ofSeconds(1));
        assertThat(heardByServer.frames).hasSize(100).isSorted();
        assertThat(heardByCaller.frames).containsExactly(7, 8);
        assertThat(heardByCaller.ends).isEmpty();
    }

    @Test
    void nobodyListeningIsARefusal() {
        connect();
        world.runFor(Duration.ofSeconds(1));
        assertThat(heardByCaller.ends).containsExactly("refused");
    }

    @Test
    void aDeadProcessResetsItsConnectionsAndRefusesNewOnes() {
        connectToListening();
        world.runFor(Duration.ofSeconds(1));
        server.kill();
        network.killed(server);
        world.runFor(Duration.ofSeconds(1));
        assertThat(heardByCaller.ends).containsExactly("connection reset");
        connect();
        world.runFor(Duration.ofSeconds(1));
        assertThat(heardByCaller.ends).containsExactly("connection reset", "refused");
    }

    @Test
    void whatIsSentOnACutWayArrivesWhenItIsOpenAgain() {
        Network.Link link = connectToListening();
        world.runFor(Duration.ofSeconds(1));
        network.ways().cut("a", "b");
        link.send(frame(1));
        link.send(frame(2));
        accepted.getFirst().send(frame(3));
        world.runFor(Duration.ofSeconds(5));
        assertThat(heardByServer.frames).isEmpty();
        assertThat(heardByCaller.frames).containsExactly(3);
        network.ways().heal();
        world.runFor(Duration.ofSeconds(5));
        assertThat(heardByServer.frames).containsExactly(1, 2);
    }

    @Test
    void aWayThatStaysCutEndsTheConnection() {
        Network.Link link = connectToListening();
        world.runFor(Duration.ofSeconds(1));
        network.ways().cutBoth("a", "b");
        link.send(frame(1));
        world.runFor(Duration.ofMinutes(1));
        assertThat(heardByCaller.ends).containsExactly("timed out");
        assertThat(heardByServer.frames).isEmpty();
    }

    @Test
    void whatWasUnderWayWhenAConnectionBrokeIsLost() {
        Network.Link link = connectToListening();
        world.runFor(Duration.ofSeconds(1));
        link.send(frame(1));
        link.close();
        world.runFor(Duration.ofSeconds(10));
        assertThat(heardByServer.frames).isEmpty();
        assertThat(heardByServer.ends).containsExactly("closed");
    }

    @Test
    void stragglersArriveBehindWhatWasSentAgain() {
        Network.Link link = connectToListening();
        world.runFor(Duration.ofSeconds(1));
        network.ways().straggle("a");
        link.send(frame(1));
        link.send(frame(2));
        network.reset("a", "b");
        Network.Link again = connect();
        again.send(frame(3));
        world.runFor(Duration.ofMillis(1));
        assertThat(heardByCaller.ends).containsExactly("connection reset");
        world.runFor(Duration.ofSeconds(10));
        assertThat(heardByServer.frames).containsExactly(3, 1, 2);
        assertThat(network.stragglers()).isEqualTo(2);
        assertThat(heardByServer.ends).as("told behind its frames").hasSize(1);
    }

    @Test
    void aMachineThatCannotBeReachedIsNotRefusing() {
        network.ways().cutBoth("a", "b");
        connect();
        world.runFor(Duration.ofMinutes(1));
        assertThat(heardByCaller.ends).containsExactly("no answer from b");
    }

    private Network.Link connectToListening() {
        network.listen(
                "b",
                9092,
                server,
                mailbox(server),
                link -> {
                    accepted.add(link);
                    return heardByServer;
                });
        return connect();
    }

    private Network.Link connect() {
        return network.door("a", caller).connect("b", 9092, mailbox(caller), heardByCaller);
    }

    private SimMailbox mailbox(SimProcess process) {
        return new SimMailbox(
                world,
                process,
                process.name(),
                bug -> {
                    throw new AssertionError(bug);
                });
    }

    private static ByteBuffer frame(int content) {
        return ByteBuffer.allocate(8).putInt(4).putInt(content).flip();
    }
}
