package io.sluice.zookeeper;

import io.sluice.zookeeper.EnsembleSettings.Member;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/// How a member without data begins: as one of the first, with a vote, or in an ensemble that has been there before, without one until it has the others' data.
///
/// A member that has lost its disk must not vote: together with one that was away it would be a majority that has forgotten what was decided since. And whether it has lost its disk or is new it
/// cannot tell by itself. So it may vote at once only when it has seen every other member without data, too:
///
/// ```
///       all others are new or ready          all others are ready or run ZooKeeper
///  NEW ────────────────────────────▶ READY ─────────────────────────────────────────▶ one of the first
///   │ one of them runs ZooKeeper
///   └──────────────────────────────▶ without a vote
/// ```
/// Who is ready is remembered by it alone, until it runs; nobody runs before all are ready, so that none of them is taken for one that came late. Until then it answers the others' questions at the port on which
/// ZooKeeper will answer them.
///
/// Thread-safe: asked by its ensemble's thread, answering on one of its own.
final class FirstStart implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final String QUESTION = "srvr";
    private static final int ANSWER_MAX = 32;

    /// What is known of a member.
    enum State {
        SILENT,
        NEW,
        READY,
        /// It has data, or waits for that of the others.
        RUNS
    }

    enum Beginning {
        ONE_OF_THE_FIRST,
        WITHOUT_A_VOTE
    }

    private final List<Member> others = new ArrayList<>();
    private final ServerSocket answers;
    private final Thread answering;
    private final AtomicReference<State> own = new AtomicReference<>(State.NEW);

    /// Listens at the member's port for clients.
    FirstStart(EnsembleSettings settings, Member self) throws IOException {
        for (Member member : settings.members()) {
            if (member.id() != self.id()) {
                others.add(member);
            }
        }
        answers = new ServerSocket();
        try {
            answers.bind(address(self));
        } catch (IOException e) {
            answers.close();
            throw e;
        }
        answering =
                Thread.ofVirtual()
                        .name("sluice-ensemble-new-" + self.id())
                        .start(() -> answer(answers, own));
    }

    private static InetSocketAddress address(Member member) {
        return new InetSocketAddress(
                EnsembleProperties.unbracketed(member.host()), member.clientPort());
    }

    /// Asks the others until it is known.
    ///
    /// @param waiting told for whom it waits, whenever that changes
    Beginning decide(Consumer<List<Member>> waiting) throws InterruptedException {
        List<Member> missing = List.of();
        while (true) {
            List<State> states = others.stream().map(FirstStart::ask).toList();
            switch (next(own.get(), states)) {
                case Step.Begin(Beginning beginning) -> {
                    return beginning;
                }
                case Step.Become(State state) -> own.set(state);
                case Step.Wait() -> {
                    List<Member> silent = silent(others, states);
                    if (!silent.equals(missing)) {
                        missing = silent;
                        waiting.accept(silent);
                    }
                    Thread.sleep(PAUSE);
                }
            }
        }
    }

    /// Those that do not answer.
    static List<Member> silent(List<Member> members, List<State> states) {
        List<Member> silent = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            if (states.get(i) == State.SILENT) {
                silent.add(members.get(i));
            }
        }
        return silent;
    }

    /// What a member does that knows this of itself and of the others.
    sealed interface Step {
        record Begin(Beginning beginning) implements Step {}

        record Become(State state) implements Step {}

        record Wait() implements Step {}
    }

    static Step next(State own, List<State> others) {
        if (own == State.NEW) {
            if (others.contains(State.RUNS)) {
                return new Step.Begin(Beginning.WITHOUT_A_VOTE);
            }
            return others.contains(State.SILENT) ? new Step.Wait() : new Step.Become(State.READY);
        }
        return others.contains(State.SILENT) || others.contains(State.NEW)
                ? new Step.Wait()
                : new Step.Begin(Beginning.ONE_OF_THE_FIRST);
    }

    private static State ask(Member member) {
        try (Socket socket = new Socket()) {
            socket.connect(address(member), (int) PATIENCE.toMillis());
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.getOutputStream().write(QUESTION.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return meaning(
                    new String(
                            socket.getInputStream().readNBytes(ANSWER_MAX),
                            StandardCharsets.US_ASCII));
        } catch (IOException _) {
            return State.SILENT;
        }
    }

    /// ZooKeeper answers something in any case, also while it has no majority.
    private static State meaning(String answer) {
        for (State state : List.of(State.NEW, State.READY)) {
            if (answer.equals(sentence(state))) {
                return state;
            }
        }
        return answer.isEmpty() ? State.SILENT : State.RUNS;
    }

    private static String sentence(State state) {
        return "sluice " + state;
    }

    private static void answer(ServerSocket answers, AtomicReference<State> own) {
        while (!answers.isClosed()) {
            try (Socket socket = answers.accept()) {
                socket.setSoTimeout((int) PATIENCE.toMillis());
                byte[] question = socket.getInputStream().readNBytes(QUESTION.length());
                if (new String(question, StandardCharsets.US_ASCII).equals(QUESTION)) {
                    socket.getOutputStream()
                            .write(sentence(own.get()).getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException _) {
                // Somebody has hung up, or this is over.
            }
        }
    }

    /// The port is free when this returns: it is not before nobody waits at it any more.
    @Override
    public void close() {
        try {
            answers.close();
            answering.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
