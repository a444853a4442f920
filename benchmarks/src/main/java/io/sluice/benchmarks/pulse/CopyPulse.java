package io.sluice.benchmarks.pulse;

import io.sluice.benchmarks.report.Spread;
import io.sluice.benchmarks.report.Unit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What this machine asks for the bytes alone, taken before every turn of clusters: from a socket into a leader's file, from there through two more sockets into two
/// more files, every round forced on all three before the next. No broker that keeps this promise can cost less here.
///
/// A round is what a Java producer with its default settings has under way to one partition. On virtual machines most of it may be the first touch of memory that the
/// page cache grows into, which the host has to find.
///
/// Owned by the thread that runs the comparison.
final class CopyPulse {
    private static final int ROUND_BYTES = 80 << 10;
    private static final int ROUNDS = 3_000;
    private static final int WARM_UP_ROUNDS = 300;
    private static final int FOLLOWERS = 2;

    private final List<Double> secondsPerGigabyte = new ArrayList<>();

    void take(Path folder) {
        carry(folder, WARM_UP_ROUNDS);
        secondsPerGigabyte.add(carry(folder, ROUNDS));
    }

    /// @return CPU seconds per gigabyte of the three that store it, without those of whoever sends it
    private static double carry(Path folder, int rounds) {
        try (ServerSocketChannel forLeader = Bare.listen();
                ServerSocketChannel forFollowers = Bare.listen()) {
            Files.createDirectories(folder);
            List<Bare.Work> workers = new ArrayList<>();
            for (int i = 0; i < FOLLOWERS; i++) {
                Path file = folder.resolve("copy-pulse-" + i);
                workers.add(() -> follow(forFollowers, file, rounds));
            }
            Path file = folder.resolve("copy-pulse");
            workers.add(() -> lead(forLeader, forFollowers, file, rounds));
            double seconds = Bare.cpuSeconds(workers, () -> send(forLeader, rounds));
            return seconds * 1e9 / ((double) rounds * ROUND_BYTES);
        } catch (IOException failure) {
            throw new UncheckedIOException("Nothing can be carried to " + folder, failure);
        }
    }

    private static void send(ServerSocketChannel leader, int rounds) throws IOException {
        ByteBuffer round = ByteBuffer.allocateDirect(ROUND_BYTES);
        ByteBuffer answer = ByteBuffer.allocateDirect(1);
        try (SocketChannel channel = Bare.connect(leader)) {
            for (int i = 0; i < rounds; i++) {
                Bare.writeAll(channel, round.clear());
                Bare.readAll(channel, answer.clear());
            }
        }
    }

    private static void lead(
            ServerSocketChannel own, ServerSocketChannel followers, Path file, int rounds)
            throws IOException {
        ByteBuffer round = ByteBuffer.allocateDirect(ROUND_BYTES);
        ByteBuffer answer = ByteBuffer.allocateDirect(1);
        List<SocketChannel> copies = new ArrayList<>();
        try (SocketChannel source = Bare.accept(own);
                FileChannel store = Bare.open(file)) {
            for (int i = 0; i < FOLLOWERS; i++) {
                copies.add(Bare.connect(followers));
            }
            for (long at = 0; at < (long) rounds * ROUND_BYTES; at += ROUND_BYTES) {
                Bare.readAll(source, round.clear());
                store.write(round.flip(), at);
                for (SocketChannel copy : copies) {
                    for (long sent = 0; sent < ROUND_BYTES; ) {
                        sent += store.transferTo(at + sent, ROUND_BYTES - sent, copy);
                    }
                }
                store.force(false);
                for (SocketChannel copy : copies) {
                    Bare.readAll(copy, answer.clear());
                }
                Bare.writeAll(source, answer.flip());
            }
        } finally {
            Bare.closeAll(copies);
            Files.deleteIfExists(file);
        }
    }

    private static void follow(ServerSocketChannel own, Path file, int rounds) throws IOException {
        ByteBuffer round = ByteBuffer.allocateDirect(ROUND_BYTES);
        ByteBuffer answer = ByteBuffer.allocateDirect(1);
        try (SocketChannel leader = Bare.accept(own);
                FileChannel store = Bare.open(file)) {
            for (long at = 0; at < (long) rounds * ROUND_BYTES; at += ROUND_BYTES) {
                Bare.readAll(leader, round.clear());
                store.write(round.flip(), at);
                store.force(false);
                Bare.writeAll(leader, answer.clear());
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /// A sentence for the report.
    String describe() {
        if (secondsPerGigabyte.isEmpty()) {
            return "";
        }
        double[] all = secondsPerGigabyte.stream().mapToDouble(Double::doubleValue).toArray();
        return " To carry a gigabyte into three files and force it there, in rounds of %d KiB and with no broker around it, took %s CPU s (before each turn)."
                .formatted(ROUND_BYTES >> 10, Spread.of(all).format(Unit.SECONDS));
    }
}
