package io.sluice.benchmarks.pulse;

import io.sluice.benchmarks.load.Acks;
import io.sluice.benchmarks.load.RequestFrame;
import io.sluice.benchmarks.report.Spread;
import io.sluice.benchmarks.report.Unit;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What this machine asks for small requests alone, taken before every turn of clusters: as many connections as the measure `small` has, with a request each; whatever has
/// arrived while the last round was on its way is written, sent to two others, forced on all three, and answered one by one. Nothing is parsed, checked or numbered.
///
/// The requests are as long as those of the measure, the answers as long as a broker's.
///
/// Owned by the thread that runs the comparison.
final class RequestPulse {
    private static final int CONNECTIONS = 32;
    private static final int REQUEST_BYTES =
            RequestFrame.produce("small", 0, Acks.ALL, 100).bytes().remaining();
    private static final int ANSWER_BYTES = 56;
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int FOLLOWERS = 2;
    private static final int REQUESTS = 100_000;
    private static final int WARM_UP_REQUESTS = 40_000;
    private static final int END = 0;

    private final List<Double> secondsPerMillion = new ArrayList<>();

    void take(Path folder) {
        serve(folder, WARM_UP_REQUESTS);
        secondsPerMillion.add(serve(folder, REQUESTS));
    }

    /// @return CPU seconds per million requests of the three that store them, without those of whoever asks
    private static double serve(Path folder, int requests) {
        try (ServerSocketChannel forLeader = Bare.listen();
                ServerSocketChannel forFollowers = Bare.listen()) {
            Files.createDirectories(folder);
            List<Bare.Work> workers = new ArrayList<>();
            for (int i = 0; i < FOLLOWERS; i++) {
                Path file = folder.resolve("request-pulse-" + i);
                workers.add(() -> follow(forFollowers, file));
            }
            Path file = folder.resolve("request-pulse");
            workers.add(() -> lead(forLeader, forFollowers, file, requests));
            double seconds = Bare.cpuSeconds(workers, () -> ask(forLeader, requests));
            return seconds * 1e6 / requests;
        } catch (IOException failure) {
            throw new UncheckedIOException("Nothing can be written to " + folder, failure);
        }
    }

    /// A connection and what has come of the message that is due on it.
    private record Line(SocketChannel channel, ByteBuffer message) {

        static Line on(SocketChannel channel, int messageBytes, Selector selector)
                throws IOException {
            Line line = new Line(channel, ByteBuffer.allocateDirect(messageBytes));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, line);
            return line;
        }

        boolean hasCome() throws IOException {
            if (channel.read(message) < 0) {
                throw new EOFException("the other side has gone");
            }
            return !message.hasRemaining();
        }
    }

    /// The messages that have come whole; waits until something has.
    private static List<Line> next(Selector selector) throws IOException {
        List<Line> whole = new ArrayList<>();
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.attachment() instanceof Line line && line.hasCome()) {
                whole.add(line);
            }
        }
        selector.selectedKeys().clear();
        return whole;
    }

    private static void ask(ServerSocketChannel leader, int requests) throws IOException {
        ByteBuffer request = ByteBuffer.allocateDirect(REQUEST_BYTES);
        List<SocketChannel> channels = new ArrayList<>();
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                SocketChannel channel = Bare.connect(leader);
                channels.add(channel);
                Line.on(channel, ANSWER_BYTES, selector);
                Bare.writeAll(channel, request.clear());
            }
            int asked = CONNECTIONS;
            for (int answered = 0; answered < requests; ) {
                for (Line line : next(selector)) {
                    answered++;
                    line.message().clear();
                    if (asked < requests) {
                        asked++;
                        Bare.writeAll(line.channel(), request.clear());
                    } else {
                        line.channel().keyFor(selector).cancel(); // The other side ends first.
                    }
                }
            }
        } finally {
            Bare.closeAll(channels);
        }
    }

    private static void lead(
            ServerSocketChannel own, ServerSocketChannel followers, Path file, int requests)
            throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        List<SocketChannel> copies = new ArrayList<>();
        try (Selector selector = Selector.open();
                FileChannel store = Bare.open(file)) {
            for (int i = 0; i < FOLLOWERS; i++) {
                copies.add(Bare.connect(followers));
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                SocketChannel channel = Bare.accept(own);
                channels.add(channel);
                Line.on(channel, REQUEST_BYTES, selector);
            }
            answerAll(selector, store, copies, requests);
        } finally {
            Bare.closeAll(channels);
            Bare.closeAll(copies);
            Files.deleteIfExists(file);
        }
    }

    private static void answerAll(
            Selector selector, FileChannel store, List<SocketChannel> copies, int requests)
            throws IOException {
        ByteBuffer round = ByteBuffer.allocateDirect(LENGTH_BYTES + CONNECTIONS * REQUEST_BYTES);
        ByteBuffer confirmed = ByteBuffer.allocateDirect(1);
        ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES);
        long at = 0;
        for (int answered = 0; answered < requests; ) {
            List<Line> asking = next(selector);
            if (asking.isEmpty()) {
                continue;
            }
            round.clear().putInt(asking.size() * REQUEST_BYTES);
            for (Line line : asking) {
                round.put(line.message().flip());
                line.message().clear();
            }
            round.flip();
            for (SocketChannel copy : copies) {
                Bare.writeAll(copy, round.rewind());
            }
            at += store.write(round.position(LENGTH_BYTES), at);
            store.force(false);
            for (SocketChannel copy : copies) {
                Bare.readAll(copy, confirmed.clear());
            }
            for (Line line : asking) {
                Bare.writeAll(line.channel(), answer.clear());
            }
            answered += asking.size();
        }
        for (SocketChannel copy : copies) {
            Bare.writeAll(copy, round.clear().putInt(END).flip());
        }
    }

    private static void follow(ServerSocketChannel own, Path file) throws IOException {
        ByteBuffer length = ByteBuffer.allocateDirect(LENGTH_BYTES);
        ByteBuffer round = ByteBuffer.allocateDirect(CONNECTIONS * REQUEST_BYTES);
        ByteBuffer confirmed = ByteBuffer.allocateDirect(1);
        try (SocketChannel leader = Bare.accept(own);
                FileChannel store = Bare.open(file)) {
            for (long at = 0; ; ) {
                Bare.readAll(leader, length.clear());
                int bytes = length.getInt(0);
                if (bytes == END) {
                    return;
                }
                Bare.readAll(leader, round.clear().limit(bytes));
                at += store.write(round.flip(), at);
                store.force(false);
                Bare.writeAll(leader, confirmed.clear());
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /// A sentence for the report.
    String describe() {
        if (secondsPerMillion.isEmpty()) {
            return "";
        }
        double[] all = secondsPerMillion.stream().mapToDouble(Double::doubleValue).toArray();
        return " To take a million requests of %d B from %d connections into three files, force and answer them, with no broker around it, took %s CPU s (before each turn)."
                .formatted(REQUEST_BYTES, CONNECTIONS, Spread.of(all).format(Unit.SECONDS));
    }
}
