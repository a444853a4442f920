package io.sluice.replication;

import io.sluice.controller.BrokerView;
import io.sluice.controller.Probe;
import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.message.ApiVersionsRequest;
import java.time.Duration;

/// Looks whether a broker is there: a new connection, and the smallest question there is.
///
/// A connection alone proves little: the kernel takes it for a process that is stopped. Thread-safe.
public final class Probing implements Probe {
    private static final Duration PATIENCE = Duration.ofMillis(900);
    private static final short VERSION = 0;

    private final Network network;
    private final Clock clock;

    public Probing(Network network, Clock clock) {
        this.network = network;
        this.clock = clock;
    }

    @Override
    public Reply<Result> probe(BrokerView broker, Mailbox home) {
        Reply<Result> result = new Reply<>();
        home.run(() -> probeHere(broker, home, result));
        return result;
    }

    private void probeHere(BrokerView broker, Mailbox home, Reply<Result> result) {
        PeerConnection connection =
                new PeerConnection(
                        new PeerAddress(broker.id(), broker.host(), broker.port()),
                        "sluice-probe",
                        network,
                        clock,
                        home,
                        _ -> {});
        connection
                .ask(ApiVersionsRequest.builder().build(), VERSION, PATIENCE)
                .then(
                        _ -> {
                            connection.close();
                            result.complete(Result.ALIVE);
                        },
                        failure -> result.complete(meaning(failure)));
    }

    private static Result meaning(Throwable failure) {
        return failure instanceof PeerFailure peer && peer.kind() == PeerFailure.Kind.REFUSED
                ? Result.REFUSED
                : Result.SILENT;
    }
}
