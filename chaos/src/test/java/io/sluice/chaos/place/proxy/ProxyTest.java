package io.sluice.chaos.place.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.chaos.place.Cuts;
import io.sluice.chaos.place.Port;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What goes through the proxy, and what a cut holds; the brokers are plain sockets here.
class ProxyTest {
    @TempDir private Path folder;
    private ProxyPlace place;

    @BeforeEach
    void open() {
        String obstacle = ProxyPlace.obstacle();
        assumeTrue(obstacle == null, () -> "skipped: " + obstacle);
        place = new ProxyPlace(3, folder);
    }

    @AfterEach
    void close() {
        place.close();
    }

    @Test
    void aCutDirectionDeliversNothingAndTheOtherOneDoes() throws IOException {
        try (Line line = Line.between(place, 1, 2, Port.CLIENTS)) {
            line.expectOpen();
            place.cuts().cut(1, 2);
            Line.say(line.caller(), "held");
            Line.say(line.callee(), "heard");
            Line.expect(line.caller(), "heard");
            Line.expectSilence(line.callee());
            place.cuts().healAll();
            Line.expect(line.callee(), "held");
            line.expectOpen();
        }
    }

    @Test
    void aCutHitsConnectionsThatEitherSideHasOpened() throws IOException {
        try (Line line = Line.between(place, 2, 1, Port.CLIENTS)) {
            place.cuts().cut(1, 2);
            Line.say(line.callee(), "held");
            Line.say(line.caller(), "heard");
            Line.expect(line.callee(), "heard");
            Line.expectSilence(line.caller());
            place.cuts().healAll();
            Line.expect(line.caller(), "held");
        }
    }

    @Test
    void whoeverIsNotCutOffGoesOn() throws IOException {
        try (Line clients = Line.between(place, Cuts.CLIENTS, 1, Port.CLIENTS);
                Line oneAndThree = Line.between(place, 1, 3, Port.ENSEMBLE_PEERS);
                Line threeAndTwo = Line.between(place, 3, 2, Port.CLIENTS)) {
            place.cuts().cutBoth(1, 2);
            clients.expectOpen();
            oneAndThree.expectOpen();
            threeAndTwo.expectOpen();
        }
    }

    @Test
    void clientsAreCutOffLikeBrokers() throws IOException {
        try (Line line = Line.between(place, Cuts.CLIENTS, 1, Port.CLIENTS)) {
            place.cuts().cut(1, Cuts.CLIENTS);
            Line.say(line.callee(), "held");
            Line.say(line.caller(), "heard");
            Line.expect(line.callee(), "heard");
            Line.expectSilence(line.caller());
        }
    }

    @Test
    void aCutFromTheStoreLeavesTheOtherPorts() throws IOException {
        try (Line peers = Line.between(place, 1, 2, Port.ENSEMBLE_PEERS);
                Line session = Line.between(place, 2, 1, Port.ENSEMBLE_CLIENTS);
                Line elsewhere = Line.between(place, 1, 3, Port.ENSEMBLE_PEERS);
                Line messages = Line.between(place, 1, 2, Port.CLIENTS)) {
            place.cuts().cutStore(1, 2);
            for (Line cut : new Line[] {peers, session}) {
                Line.say(cut.caller(), "held");
                Line.say(cut.callee(), "held");
                Line.expectSilence(cut.callee());
                Line.expectSilence(cut.caller());
            }
            elsewhere.expectOpen();
            messages.expectOpen();
        }
    }

    @Test
    void healingDeliversInOrderWhatWasSent() throws Exception {
        int count = 1 << 20;
        ByteBuffer numbers = ByteBuffer.allocate(count * Integer.BYTES);
        for (int number = 0; number < count; number++) {
            numbers.putInt(number);
        }
        try (Line line = Line.between(place, 1, 2, Port.CLIENTS)) {
            place.cuts().cut(1, 2);
            // More than is held on the way: it is the sender that waits.
            Thread sending =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            line.caller().getOutputStream().write(numbers.array());
                                            line.caller().shutdownOutput();
                                        } catch (IOException e) {
                                            throw new AssertionError(e);
                                        }
                                    });
            Line.expectSilence(line.callee());
            place.cuts().healAll();
            assertThat(line.callee().getInputStream().readAllBytes()).isEqualTo(numbers.array());
            sending.join();
        }
    }

    @Test
    void anEndIsPassedOnAfterHealingAndTheOtherSideMayStillSpeak() throws IOException {
        try (Line line = Line.between(place, 1, 2, Port.CLIENTS)) {
            place.cuts().cut(1, 2);
            Line.say(line.caller(), "last words");
            line.caller().shutdownOutput();
            Line.expectSilence(line.callee());
            place.cuts().healAll();
            Line.expect(line.callee(), "last words");
            Line.expectEnd(line.callee());
            Line.say(line.callee(), "farewell");
            Line.expect(line.caller(), "farewell");
        }
    }

    @Test
    void anEndThatNothingWasSaidBeforeIsHeldLikeBytes() throws IOException {
        try (Line line = Line.between(place, 1, 2, Port.CLIENTS)) {
            place.cuts().cut(1, 2);
            line.caller().shutdownOutput();
            Line.expectSilence(line.callee());
            place.cuts().healAll();
            Line.expectEnd(line.callee());
        }
    }

    @Test
    void aResetIsPassedOnAfterHealing() throws IOException {
        try (Line line = Line.between(place, 1, 2, Port.CLIENTS)) {
            place.cuts().cut(1, 2);
            line.caller().setSoLinger(true, 0);
            line.caller().close();
            Line.expectSilence(line.callee());
            place.cuts().healAll();
            assertThatThrownBy(line.callee().getInputStream()::read)
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
    }

    @Test
    void whereNobodyListensTheConnectionIsReset() throws IOException {
        try (Socket caller = Line.call(place, 1, 2, Port.CLIENTS)) {
            assertThatThrownBy(caller.getInputStream()::read)
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
    }

    @Test
    void aConnectionThatIsOpenedWhileOneWayIsCutIsMadeAfterHealing() throws IOException {
        try (ServerSocket door = Line.door(place, 2, Port.CLIENTS)) {
            place.cuts().cut(2, 1);
            try (Socket caller = Line.call(place, 1, 2, Port.CLIENTS)) {
                Line.say(caller, "early");
                Line.expectNobody(door);
                place.cuts().healAll();
                try (Line line = new Line(caller, Line.accepted(door))) {
                    Line.expect(line.callee(), "early");
                    line.expectOpen();
                }
            }
        }
    }

    @Test
    void aConnectionThatWasGivenUpDuringTheCutIsNeverMade() throws IOException {
        try (ServerSocket door = Line.door(place, 2, Port.CLIENTS)) {
            place.cuts().cutBoth(1, 2);
            try (Socket impatient = Line.call(place, 1, 2, Port.CLIENTS)) {
                Line.say(impatient, "impatient");
            }
            try (Socket patient = Line.call(place, 1, 2, Port.CLIENTS)) {
                Line.say(patient, "patient");
                while (place.waiting() < 2) {
                    Thread.onSpinWait();
                }
                place.cuts().healAll();
                try (Socket accepted = Line.accepted(door)) {
                    Line.expect(accepted, "patient");
                    Line.expectNobody(door);
                }
            }
        }
    }

    @Test
    void whoIsCalledForAnElectionCallsBackThroughTheProxy() throws IOException {
        int port = place.port(1, Port.ENSEMBLE_ELECTION);
        byte[] own = ElectionHelloTest.message(-65_536, 1, "127.0.1.1:" + port);
        byte[] proxied = ElectionHelloTest.message(-65_536, 1, "127.1.2.1:" + port);
        try (Line line = Line.between(place, 1, 2, Port.ENSEMBLE_ELECTION)) {
            line.caller().getOutputStream().write(own);
            assertThat(line.callee().getInputStream().readNBytes(proxied.length))
                    .isEqualTo(proxied);
            line.expectOpen();
        }
    }

    @Test
    void theEndOfThePlaceIsTheEndOfEverything() throws IOException {
        int port = place.port(2, Port.CLIENTS);
        try (Line line = Line.between(place, 1, 2, Port.CLIENTS);
                Line cut = Line.between(place, 1, 3, Port.CLIENTS)) {
            place.cuts().cut(1, 3);
            Line.say(cut.caller(), "held");
            place.close();
            Line.expectEnd(line.caller());
            Line.expectEnd(line.callee());
            Line.expectEnd(cut.callee());
        }
        assertThatThrownBy(() -> new Socket(Addresses.between(1, 2), port))
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void aNameMeansTheProxyToClientsAndOtherNamesMeanWhatTheyAlwaysDo() throws IOException {
        assertThat(InetAddress.getByName(place.host(2)).getHostAddress()).isEqualTo("127.1.0.2");
        assertThat(InetAddress.getByName("localhost").isLoopbackAddress()).isTrue();
    }

    @Test
    void aBrokerFindsItselfAtHomeAndTheOthersBehindTheProxy() throws IOException {
        assertThat(Files.readString(folder.resolve("hosts-2")).lines())
                .contains(
                        "127.0.0.1 localhost",
                        "127.1.2.1 broker-1.chaos",
                        "127.0.1.2 broker-2.chaos",
                        "127.1.2.3 broker-3.chaos");
        assertThat(place.environment(2).get("JDK_JAVA_OPTIONS"))
                .contains(folder.resolve("hosts-2").toString());
    }
}
