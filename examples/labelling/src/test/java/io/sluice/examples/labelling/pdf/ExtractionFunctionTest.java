package io.sluice.examples.labelling.pdf;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.Context;
import io.sluice.examples.labelling.local.Generator;
import io.sluice.examples.labelling.queue.DocumentMessage;
import io.sluice.examples.labelling.queue.DocumentQueue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/// The extraction as a function: told of objects in a bucket, it sends messages.
class ExtractionFunctionTest {
    @TempDir Path folder;

    private final List<DocumentMessage> sent = new ArrayList<>();

    private final DocumentQueue queue =
            new DocumentQueue() {
                @Override
                public void send(DocumentMessage message) {
                    sent.add(message);
                }

                @Override
                public long waiting() {
                    return sent.size();
                }

                @Override
                public String describe() {
                    return "a list";
                }
            };

    /// A folder as a bucket.
    private final S3Client bucket =
            new S3Client() {
                @Override
                public ResponseBytes<GetObjectResponse> getObjectAsBytes(GetObjectRequest request) {
                    try {
                        return ResponseBytes.fromByteArray(
                                GetObjectResponse.builder().build(),
                                Files.readAllBytes(folder.resolve(request.key())));
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                }

                @Override
                public String serviceName() {
                    return "folder";
                }

                @Override
                public void close() {}
            };

    @Test
    void everyObjectBecomesAMessage() throws Exception {
        new Generator(3, 1).generate(folder, 10);
        var events = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .forEach(
                            key ->
                                    events.append(events.isEmpty() ? "" : ",")
                                            .append(
                                                    "{\"s3\":{\"bucket\":{\"name\":\"b\"},\"object\":{\"key\":\""
                                                            + key
                                                            + "\"}}}"));
        }
        String event = "{\"Records\":[" + events + "]}";
        Context nobody =
                (Context)
                        Proxy.newProxyInstance(
                                Context.class.getClassLoader(),
                                new Class<?>[] {Context.class},
                                (proxy, method, arguments) -> null);
        new ExtractionFunction(bucket, queue)
                .handleRequest(
                        new ByteArrayInputStream(event.getBytes(StandardCharsets.UTF_8)),
                        new ByteArrayOutputStream(),
                        nobody);

        assertThat(sent).hasSize(10);
        assertThat(sent)
                .filteredOn(message -> message instanceof DocumentMessage.Failed)
                .singleElement()
                .satisfies(failed -> assertThat(failed.document()).startsWith("broken-"));
    }
}
