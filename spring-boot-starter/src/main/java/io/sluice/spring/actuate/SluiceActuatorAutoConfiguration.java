package io.sluice.spring.actuate;

import io.sluice.spring.Listeners;
import io.sluice.spring.SluiceListenerAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/// Shows listeners through Spring Boot's actuator, where there is one.
@AutoConfiguration(after = SluiceListenerAutoConfiguration.class)
public class SluiceActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("sluice-listeners")
    static class Healths {
        @Bean
        ListenerHealth sluiceListenersHealthIndicator(Listeners listeners) {
            return new ListenerHealth(listeners);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class Endpoints {
        @Bean
        @ConditionalOnAvailableEndpoint
        ListenerEndpoint sluiceListenersEndpoint(Listeners listeners) {
            return new ListenerEndpoint(listeners);
        }
    }
}
