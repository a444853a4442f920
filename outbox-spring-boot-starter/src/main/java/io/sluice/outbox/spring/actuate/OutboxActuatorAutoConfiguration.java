package io.sluice.outbox.spring.actuate;

import io.sluice.outbox.spring.EmbeddedRelay;
import io.sluice.outbox.spring.OutboxAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/// Shows the relay through Spring Boot's actuator, where there is one.
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(EmbeddedRelay.class)
public class OutboxActuatorAutoConfiguration {
    @Bean
    @ConditionalOnEnabledHealthIndicator("outbox")
    OutboxHealth outboxHealthIndicator(EmbeddedRelay relay) {
        return new OutboxHealth(relay);
    }
}
