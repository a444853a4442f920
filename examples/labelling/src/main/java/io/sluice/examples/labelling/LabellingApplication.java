package io.sluice.examples.labelling;

import ai.onnxruntime.OrtException;
import io.sluice.examples.labelling.local.Generator;
import io.sluice.examples.labelling.local.LocalServices;
import io.sluice.examples.labelling.model.Labeller;
import io.sluice.examples.labelling.model.SentenceModel;
import io.sluice.examples.labelling.queue.KafkaQueue;
import io.sluice.examples.labelling.queue.SqsQueue;
import io.sluice.spring.settings.ListenerProperties;
import java.io.IOException;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.SqsClientBuilder;
import tools.jackson.databind.json.JsonMapper;

/// The whole system in one process. `--generate=200` makes so many PDFs first.
@SpringBootApplication
@EnableScheduling
@EnableConfigurationProperties(LabellingSettings.class)
public class LabellingApplication {
    public static void main(String[] args) throws IOException {
        for (String arg : args) {
            if (arg.startsWith("--generate=")) {
                int count = Integer.parseInt(arg.substring("--generate=".length()));
                new Generator(1).generate(Path.of("target/documents"), count);
            }
        }
        application().run(args);
    }

    static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(LabellingApplication.class)
                .initializers(new LocalServices());
    }

    @Bean
    SentenceModel sentenceModel() throws IOException, OrtException {
        return new SentenceModel();
    }

    @Bean
    Labeller labeller(SentenceModel model, LabellingSettings settings) throws OrtException {
        return new Labeller(model, settings.labels());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "labelling.source", havingValue = "sqs")
    static class ThroughSqs {
        @Bean
        SqsQueue documentQueue(
                SqsClient client,
                LabellingSettings settings,
                JsonMapper json,
                @Value("${labelling.create-queue}") boolean create) {
            String url =
                    create
                            ? SqsQueue.create(client, settings.queue())
                            : client.getQueueUrl(request -> request.queueName(settings.queue()))
                                    .queueUrl();
            return new SqsQueue(client, url, json);
        }

        @Bean
        SqsClient sqsClient(ListenerProperties properties) {
            return client(properties.sqs());
        }

        /// Sends to where the listener receives from. An endpoint of somebody else than Amazon lets everybody in, unless something is said.
        static SqsClient client(ListenerProperties.Sqs said) {
            SqsClientBuilder builder = SqsClient.builder();
            boolean elsewhere = said.endpoint() != null;
            if (elsewhere) {
                builder.endpointOverride(said.endpoint());
            }
            if (said.region() != null) {
                builder.region(Region.of(said.region()));
            } else if (elsewhere) {
                builder.region(Region.US_EAST_1);
            }
            if (said.accessKey() != null && said.secretKey() != null) {
                builder.credentialsProvider(keys(said.accessKey(), said.secretKey()));
            } else if (elsewhere) {
                builder.credentialsProvider(keys("local", "local"));
            }
            return builder.build();
        }

        private static StaticCredentialsProvider keys(String access, String secret) {
            return StaticCredentialsProvider.create(AwsBasicCredentials.create(access, secret));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "labelling.source", havingValue = "kafka")
    static class ThroughKafka {
        @Bean
        KafkaQueue documentQueue(
                LabellingSettings settings,
                JsonMapper json,
                @Value("${spring.kafka.bootstrap-servers}") String servers,
                @Value("${spring.application.name}") String group)
                throws InterruptedException {
            var queue = new KafkaQueue(servers, settings.queue(), group, json);
            queue.create();
            return queue;
        }
    }
}
