package io.sluice.cli;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// The seam between tests and the broker they need: a test class extended with this gets a [BrokerAddress], or is
/// skipped with the reason.
///
/// The broker is whatever listens at system property `sluice.test.bootstrap`.
public final class BrokerUnderTest implements ExecutionCondition, ParameterResolver {
    private static final String PROPERTY = "sluice.test.bootstrap";

    /// Where the broker is, as `host:port`.
    public record BrokerAddress(String servers) {}

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return System.getProperty(PROPERTY, "").isEmpty()
                ? ConditionEvaluationResult.disabled(
                        "needs a broker: run with -D" + PROPERTY + "=localhost:9092")
                : ConditionEvaluationResult.enabled("broker at " + System.getProperty(PROPERTY));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().equals(BrokerAddress.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return new BrokerAddress(System.getProperty(PROPERTY, ""));
    }
}
