package io.sluice.outbox.spring;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/// A relay runs in this application: it is not switched off, and a topic is named.
///
/// Immutable.
final class OnTopic extends SpringBootCondition {
    private static final String NAMED = OutboxProperties.PREFIX + ".relay.topic";
    private static final String ENABLED = OutboxProperties.PREFIX + ".relay.enabled";

    /// Empty if none is named.
    static String topic(Environment environment) {
        String topic = environment.getProperty(NAMED);
        return topic != null ? topic : environment.getProperty("RELAY_TOPIC", "");
    }

    @Override
    public ConditionOutcome getMatchOutcome(
            ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        if (!environment.getProperty(ENABLED, Boolean.class, true)) {
            return ConditionOutcome.noMatch(ENABLED + " is false");
        }
        return topic(environment).isBlank()
                ? ConditionOutcome.noMatch("neither " + NAMED + " nor RELAY_TOPIC names a topic")
                : ConditionOutcome.match();
    }
}
