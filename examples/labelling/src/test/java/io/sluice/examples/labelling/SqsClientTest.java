package io.sluice.examples.labelling;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.labelling.LabellingApplication.ThroughSqs;
import io.sluice.spring.settings.ListenerProperties;
import java.net.URI;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;

/// Documents are sent to the queue that the settings say.
class SqsClientTest {
    private static String accessKey(SqsClient client) {
        return client.serviceClientConfiguration()
                .credentialsProvider()
                .resolveIdentity()
                .join()
                .accessKeyId();
    }

    @Test
    void theRegionOfAmazonIsTheOneThatWasSaid() {
        try (SqsClient client =
                ThroughSqs.client(
                        new ListenerProperties.Sqs(null, "eu-central-1", "mine", "secret"))) {
            var configuration = client.serviceClientConfiguration();
            assertThat(configuration.region()).isEqualTo(Region.EU_CENTRAL_1);
            assertThat(configuration.endpointOverride()).isEmpty();
            assertThat(accessKey(client)).isEqualTo("mine");
        }
    }

    @Test
    void somebodyElsesEndpointLetsEverybodyInUnlessKeysAreSaid() {
        URI endpoint = URI.create("http://localhost:9324");
        try (SqsClient local =
                        ThroughSqs.client(new ListenerProperties.Sqs(endpoint, null, null, null));
                SqsClient guarded =
                        ThroughSqs.client(
                                new ListenerProperties.Sqs(
                                        endpoint, "eu-west-1", "mine", "secret"))) {
            assertThat(local.serviceClientConfiguration().endpointOverride()).contains(endpoint);
            assertThat(accessKey(local)).isEqualTo("local");
            assertThat(guarded.serviceClientConfiguration().region()).isEqualTo(Region.EU_WEST_1);
            assertThat(accessKey(guarded)).isEqualTo("mine");
        }
    }
}
