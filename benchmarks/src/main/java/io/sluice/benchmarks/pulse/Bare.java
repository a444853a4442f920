package io.sluice.benchmarks.pulse;

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
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Sockets, files and the processor's clock, as plain as the JDK has them.
final class Bare {
    private Bare() {}

    interface Work {
        void run() throws IOException;
    }

    /// Lets the workers work, each on a thread of its own, while the caller's thread does what drives them.
    ///
    /// @return the CPU seconds of the workers
    static double cpuSeconds(List<Work> workers, Work driver) {
        ExecutorService threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory());
        try {
            List<Future<Long>> nanos = new ArrayList<>();
            for (Work worker : workers) {
                nanos.add(threads.submit(() -> cpuNanosOf(worker)));
            }
            driver.run();
            long sum = 0;
            for (Future<Long> each : nanos) {
                sum += each.get();
            }
            return sum / 1e9;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (ExecutionException failure) {
            throw new IllegalStateException("The bare work cannot be done here", failure);
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(failure);
        } finally {
            threads.shutdownNow(); // Whoever still waits for one that has failed.
        }
    }

    private static long cpuNanosOf(Work work) throws IOException {
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        work.run();
        return threads.getCurrentThreadCpuTime() - before;
    }

    static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    static SocketChannel connect(ServerSocketChannel to) throws IOException {
        return prompt(SocketChannel.open(to.getLocalAddress()));
    }

    static SocketChannel accept(ServerSocketChannel from) throws IOException {
        return prompt(from.accept());
    }

    private static SocketChannel prompt(SocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    static void readAll(SocketChannel from, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                throw new EOFException("the other side has gone");
            }
        }
    }

    static void writeAll(SocketChannel to, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            to.write(from);
        }
    }

    static void closeAll(List<SocketChannel> channels) throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
