package io.sluice.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.sluice.listener.trace.ObservedWork;
import io.sluice.spring.method.ListenerMethods;
import io.sluice.spring.settings.ListenerProperties;
import org.apache.kafka.clients.consumer.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import software.amazon.awssdk.services.sqs.SqsClient;
import tools.jackson.databind.json.JsonMapper;

/// Makes listeners of methods with [SluiceListener].
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "io.awspring.cloud.autoconfigure.core.AwsAutoConfiguration"
        })
@EnableConfigurationProperties(ListenerProperties.class)
public class SluiceListenerAutoConfiguration {

    @Bean
    static ListenerMethods sluiceListenerMethods() {
        return new ListenerMethods();
    }

    @Bean
    @ConditionalOnMissingBean
    PayloadConverter sluicePayloadConverter(ObjectProvider<JsonMapper> json) {
        return new JsonPayloadConverter(json.getIfUnique(() -> JsonMapper.builder().build()));
    }

    @Bean
    Listeners sluiceListeners(
            ListenerMethods methods,
            ListenerProperties properties,
            PayloadConverter converter,
            ObjectProvider<SourceOpener> openers,
            ObjectProvider<LaneCustomizer> customizers,
            ObjectProvider<ListenerWatch> watch,
            Environment environment) {
        var assembly =
                new ListenerAssembly(
                        methods,
                        properties,
                        converter,
                        openers,
                        customizers,
                        watch.getIfAvailable(() -> ListenerWatch.NONE),
                        environment);
        return new Listeners(
                assembly, properties.enabled(), properties.shutdown(), properties.phase());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SqsClient.class)
    static class Queues {
        @Bean(destroyMethod = "close")
        OwnSqsClient sluiceSqsClient(ListenerProperties properties) {
            return new OwnSqsClient(properties.sqs());
        }

        @Bean
        QueueOpener sluiceQueueOpener(ObjectProvider<SqsClient> theirs, OwnSqsClient own) {
            return new QueueOpener(() -> theirs.getIfAvailable(own::client));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Consumer.class)
    static class Topics {
        @Bean
        TopicOpener sluiceTopicOpener(ListenerProperties properties, Environment environment) {
            return new TopicOpener(properties.kafka(), environment);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Traces {
        @Bean
        LaneCustomizer sluiceListenerTraces(ObservationRegistry registry) {
            return (source, lane) -> lane.around(ObservedWork.with(registry, source, lane.name()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    static class Metrics {
        @Bean
        MeteredWatch sluiceListenerWatch(MeterRegistry registry) {
            return new MeteredWatch(registry);
        }
    }
}
