package io.sluice.spring;

import io.sluice.spring.settings.ListenerProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpConfigurationOption;
import software.amazon.awssdk.http.SdkHttpService;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.SqsClientBuilder;
import software.amazon.awssdk.utils.AttributeMap;

/// The client of applications that do not have one, made when it is first needed.
///
/// Thread-safe.
final class OwnSqsClient implements AutoCloseable {
    /// A long poll's 20 s, and some for the way: what takes longer will never be answered, and would be waited for without end.
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(30);

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

    /// A connection per poll, and some for leases and acknowledgements, which must not wait until a poll ends: 50, as the SDK has it, are those of four queues.
    private record ManyConnections(SdkHttpService service)
            implements SdkHttpClient.Builder<ManyConnections> {
        private static final AttributeMap MANY =
                AttributeMap.builder()
                        .put(SdkHttpConfigurationOption.MAX_CONNECTIONS, 1_000)
                        .build();

        @Override
        public SdkHttpClient buildWithDefaults(AttributeMap defaults) {
            return service.createHttpClientBuilder().buildWithDefaults(MANY.merge(defaults));
        }
    }

    synchronized SqsClient client() {
        if (client == null) {
            SqsClientBuilder builder =
                    SqsClient.builder()
                            .overrideConfiguration(
                                    client -> client.apiCallAttemptTimeout(LONGEST_ANSWER));
            List<SdkHttpService> implementations = new ArrayList<>();
            ServiceLoader.load(SdkHttpService.class).forEach(implementations::add);
            // Among several the SDK chooses by rules of its own.
            if (implementations.size() == 1) {
                builder.httpClientBuilder(new ManyConnections(implementations.getFirst()));
            }
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
