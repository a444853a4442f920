package io.sluice.examples.labelling.pdf;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.examples.labelling.local.Generator;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;

/// The function as it is packed for AWS Lambda, in a process that has nothing but the package: a bucket's notification comes in, messages go out.
@Timeout(180)
class LambdaIT {
    private static final Path PACKED = Path.of("target", "lambda", "lib");

    @TempDir Path folder;

    @Test
    @DisplayName("B1: the packed function turns objects of a bucket into messages of a queue")
    void thePackedFunctionSendsAMessageForEveryObject() throws Exception {
        new Generator(3, 1).generate(folder, 10);
        HttpServer bucket = bucket();
        SQSRestServer sqs =
                SQSRestServerBuilder.withDynamicPort().withInterface("localhost").start();
        String endpoint = "http://localhost:" + sqs.waitUntilStarted().localAddress().getPort();
        try (SqsClient client = client(endpoint)) {
            String queue = client.createQueue(request -> request.queueName("documents")).queueUrl();

            assertThat(invoke(endpoint, queue, bucket.getAddress().getPort())).isEmpty();

            List<Message> sent = receive(client, queue);
            assertThat(sent).hasSize(10);
            assertThat(sent)
                    .filteredOn(message -> type(message).equals("failed"))
                    .singleElement()
                    .satisfies(failed -> assertThat(failed.body()).contains("broken-"));
        } finally {
            sqs.stopAndWait();
            bucket.stop(0);
        }
    }

    /// The folder's files as objects of a bucket, by their path.
    private HttpServer bucket() throws Exception {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/documents/",
                exchange -> {
                    String key = exchange.getRequestURI().getPath().substring(11);
                    byte[] object = Files.readAllBytes(folder.resolve(key));
                    exchange.sendResponseHeaders(200, object.length);
                    try (var body = exchange.getResponseBody()) {
                        body.write(object);
                    }
                });
        server.start();
        return server;
    }

    private static SqsClient client(String endpoint) {
        return SqsClient.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.EU_CENTRAL_1)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("x", "x")))
                .build();
    }

    /// @return what it said
    private String invoke(String sqs, String queue, int bucket) throws Exception {
        Path own;
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            own =
                    files.filter(file -> file.toString().matches(".*sluice-example-.*T[.]jar"))
                            .findFirst()
                            .orElseThrow();
        }
        String classes =
                String.join(
                        File.pathSeparator,
                        PACKED + File.separator + "*",
                        own.toString(),
                        Path.of("target", "test-classes").toString());
        Path said = folder.resolveSibling(folder.getFileName() + ".log");
        var builder =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-cp",
                                classes,
                                LambdaHost.class.getName(),
                                "io.sluice.examples.labelling.pdf.ExtractionFunction")
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile());
        builder.environment()
                .putAll(
                        Map.of(
                                "QUEUE_URL",
                                queue,
                                "AWS_REGION",
                                "eu-central-1",
                                "AWS_ACCESS_KEY_ID",
                                "x",
                                "AWS_SECRET_ACCESS_KEY",
                                "x",
                                "AWS_ENDPOINT_URL_SQS",
                                sqs,
                                "AWS_ENDPOINT_URL_S3",
                                "http://127.0.0.1:" + bucket));
        Process function = builder.start();
        try (var event = function.getOutputStream()) {
            event.write(event().getBytes(StandardCharsets.UTF_8));
        }
        try {
            int code = function.waitFor();
            String all = Files.readString(said);
            assertThat(code).as(all).isZero();
            return all.lines()
                    .filter(line -> line.contains("Exception"))
                    .collect(Collectors.joining());
        } finally {
            function.destroyForcibly();
            Files.deleteIfExists(said);
        }
    }

    private String event() throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .map(
                            key ->
                                    "{\"s3\":{\"bucket\":{\"name\":\"documents\"},\"object\":{\"key\":\"%s\"}}}"
                                            .formatted(key))
                    .collect(Collectors.joining(",", "{\"Records\":[", "]}"));
        }
    }

    private static List<Message> receive(SqsClient client, String queue) {
        List<Message> all = new ArrayList<>();
        List<Message> some;
        do {
            some =
                    client.receiveMessage(
                                    request ->
                                            request.queueUrl(queue)
                                                    .maxNumberOfMessages(10)
                                                    .waitTimeSeconds(1)
                                                    .messageAttributeNames("All"))
                            .messages();
            all.addAll(some);
        } while (!some.isEmpty());
        return all;
    }

    private static String type(Message message) {
        return message.messageAttributes()
                .getOrDefault("type", MessageAttributeValue.builder().stringValue("none").build())
                .stringValue();
    }
}
