package io.sluice.benchmarks.listener;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;

/// ElasticMQ in a process of its own, so that it takes no part in what is measured here.
final class QueueProcess implements AutoCloseable {
    private static final String READY = "port ";

    private final Process process;
    final int port;

    QueueProcess() throws IOException {
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx1g",
                                "-cp",
                                System.getProperty("java.class.path"),
                                QueueProcess.class.getName())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        var lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (line != null && !line.startsWith(READY)) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("ElasticMQ did not start.");
        }
        port = Integer.parseInt(line.substring(READY.length()));
    }

    public static void main(String[] args) throws InterruptedException {
        var server = SQSRestServerBuilder.withDynamicPort().withInterface("localhost").start();
        System.out.println(READY + server.waitUntilStarted().localAddress().getPort());
        System.out.flush();
        Thread.currentThread().join();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
