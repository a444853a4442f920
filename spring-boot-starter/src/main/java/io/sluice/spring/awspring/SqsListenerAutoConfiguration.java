package io.sluice.spring.awspring;

import io.awspring.cloud.sqs.config.SqsMessageListenerContainerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/// Changes the container factories of applications that use Spring Cloud AWS; `sluice.sqs-listener.enabled=false` leaves them alone.
@AutoConfiguration
@ConditionalOnClass(SqsMessageListenerContainerFactory.class)
@ConditionalOnBooleanProperty(name = "sluice.sqs-listener.enabled", matchIfMissing = true)
public class SqsListenerAutoConfiguration {
    @Bean
    static SqsListenerSlots sluiceSqsListenerSlots() {
        return new SqsListenerSlots();
    }
}
