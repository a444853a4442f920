package io.sluice.benchmarks;

import io.sluice.benchmarks.report.Spread;
import io.sluice.benchmarks.report.Unit;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

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
        ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory());
        try (threads;
                ServerSocketChannel forLeader = listen();
                ServerSocketChannel forFollowers = listen()) {
            Files.createDirectories(folder);
            List<Future<Long>> nanos = new ArrayList<>();
            for (int i = 0; i < FOLLOWERS; i++) {
                Path file = folder.resolve("copy-pulse-" + i);
                nanos.add(
                        threads.submit(() -> cpuNanosOf(() -> follow(forFollowers, file, rounds))));
            }
            Path file = folder.resolve("copy-pulse");
            nanos.add(
                    threads.submit(
                            () -> cpuNanosOf(() -> lead(forLeader, forFollowers, file, rounds))));
            send(forLeader, rounds);
            long sum = 0;
            for (Future<Long> each : nanos) {
                sum += each.get();
            }
            return (double) sum / ((long) rounds * ROUND_BYTES);
        } catch (IOException | ExecutionException failure) {
            throw new IllegalStateException("Nothing can be carried to " + folder, failure);
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(failure);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static long cpuNanosOf(Work work) {
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        try {
            work.run();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return threads.getCurrentThreadCpuTime() - before;
    }

    private static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static SocketChannel connect(ServerSocketChannel to) throws IOException {
        SocketChannel channel = SocketChannel.open(to.getLocalAddress());
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }

    private static void send(ServerSocketChannel leader, int rounds) throws IOException {
        ByteBuffer round = ByteBuffer.allocateDirect(ROUND_BYTES);
        ByteBuffer answer = ByteBuffer.allocateDirect(1);
        try (SocketChannel channel = connect(leader)) {
            for (int i = 0; i < rounds; i++) {
                writeAll(channel, round.clear());
                readAll(channel, answer.clear());
            }
        }
    }

    private static void lead(
            ServerSocketChannel own, ServerSocketChannel followers, Path file, int rounds)
            throws IOException {
        ByteBuffer round = ByteBuffer.allocateDirect(ROUND_BYTES);
        ByteBuffer answer = ByteBuffer.allocateDirect(1);
        List<SocketChannel> copies = new ArrayList<>();
        try (SocketChannel source = own.accept();
                FileChannel store = open(file)) {
            for (int i = 0; i < FOLLOWERS; i++) {
                copies.add(connect(followers));
            }
            for (long at = 0; at < (long) rounds * ROUND_BYTES; at += ROUND_BYTES) {
                readAll(source, round.clear());
                store.write(round.flip(), at);
                for (SocketChannel copy : copies) {
                    for (long sent = 0; sent < ROUND_BYTES; ) {
                        sent += store.transferTo(at + sent, ROUND_BYTES - sent, copy);
                    }
                }
                store.force(false);
                for (SocketChannel copy : copies) {
                    readAll(copy, answer.clear());
                }
                writeAll(source, answer.flip());
            }
        } finally {
            for (SocketChannel copy : copies) {
                copy.close();
            }
            Files.deleteIfExists(file);
        }
    }

    private static void follow(ServerSocketChannel own, Path file, int rounds) throws IOException {
        ByteBuffer round = ByteBuffer.allocateDirect(ROUND_BYTES);
        ByteBuffer answer = ByteBuffer.allocateDirect(1);
        try (SocketChannel leader = own.accept();
                FileChannel store = open(file)) {
            for (long at = 0; at < (long) rounds * ROUND_BYTES; at += ROUND_BYTES) {
                readAll(leader, round.clear());
                store.write(round.flip(), at);
                store.force(false);
                writeAll(leader, answer.clear());
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    private static void readAll(SocketChannel from, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                throw new EOFException("the other side has gone");
            }
        }
    }

    private static void writeAll(SocketChannel to, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            to.write(from);
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
