package io.sluice.spring;

import io.sluice.spring.settings.ListenerProperties;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.SqsClientBuilder;

/// The client of applications that do not have one, made when it is first needed.
///
/// Thread-safe.
final class OwnSqsClient implements AutoCloseable {
    private final ListenerProperties.Sqs settings;
    private @Nullable SqsClient client;

    OwnSqsClient(ListenerProperties.Sqs settings) {
        this.settings = settings;
        if ((settings.accessKey() == null) != (settings.secretKey() == null)) {
            throw new ListenerConfigurationException(
                    "Of %1$s.sqs.access-key and %1$s.sqs.secret-key only one is set."
                            .formatted(ListenerProperties.PREFIX),
                    "Set both, or none and let the AWS SDK look for credentials.");
        }
    }

    synchronized SqsClient client() {
        if (client == null) {
            SqsClientBuilder builder = SqsClient.builder();
            if (settings.endpoint() != null) {
                builder.endpointOverride(settings.endpoint());
            }
            if (settings.region() != null) {
                builder.region(Region.of(settings.region()));
            }
            if (settings.accessKey() != null && settings.secretKey() != null) {
                builder.credentialsProvider(
                        StaticCredentialsProvider.create(
                                AwsBasicCredentials.create(
                                        settings.accessKey(), settings.secretKey())));
            }
            client = builder.build();
        }
        return client;
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.close();
        }
    }
}
