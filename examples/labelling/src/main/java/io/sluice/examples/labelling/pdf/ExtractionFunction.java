package io.sluice.examples.labelling.pdf;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestStreamHandler;
import io.sluice.examples.labelling.queue.DocumentMessage;
import io.sluice.examples.labelling.queue.DocumentQueue;
import io.sluice.examples.labelling.queue.SqsQueue;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sqs.SqsClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The same extraction as a function in Amazon's cloud: told of new objects in a bucket, it sends what is in them.
///
/// Deploy the module's jar with its dependencies as a Java function with the handler
/// `io.sluice.examples.labelling.pdf.ExtractionFunction`, the variable `QUEUE_URL`, and a notification for created objects that end in `.pdf`.
///
/// Thread-safe.
public final class ExtractionFunction implements RequestStreamHandler {
    private final JsonMapper json = JsonMapper.builder().build();
    private final Extraction extraction = new Extraction();
    private final S3Client bucket;
    private final DocumentQueue queue;

    public ExtractionFunction() {
        this.bucket = S3Client.create();
        this.queue = new SqsQueue(SqsClient.create(), System.getenv("QUEUE_URL"), json);
    }

    ExtractionFunction(S3Client bucket, DocumentQueue queue) {
        this.bucket = bucket;
        this.queue = queue;
    }

    /// What fails for other reasons than the document is thrown, and the cloud tries again.
    @Override
    public void handleRequest(InputStream event, OutputStream answer, Context context)
            throws IOException {
        for (JsonNode record : json.readTree(event).path("Records")) {
            String name = record.at("/s3/bucket/name").asString();
            // As in a query string, says Amazon's description of these events.
            String key =
                    URLDecoder.decode(
                            record.at("/s3/object/key").asString(), StandardCharsets.UTF_8);
            byte[] pdf =
                    bucket.getObjectAsBytes(request -> request.bucket(name).key(key)).asByteArray();
            try {
                queue.send(DocumentMessage.of(key, extraction.extract(pdf)));
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("The message about " + key + " could not be sent.", e);
            }
        }
    }
}
