package io.sluice.conformance.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Gives a test a [Broker]: one process that all test classes of the run share, or the one at `-Dsluice.conformance.bootstrap`.
///
/// A class that is marked [NeedsProcess] is skipped with an external one, because that is not ours to kill.
/// When there is no broker to start, everything fails.
public final class BrokerExtension implements ExecutionCondition, ParameterResolver {
    private static final String BOOTSTRAP_PROPERTY = "sluice.conformance.bootstrap";
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(BrokerExtension.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        boolean external = !bootstrap().isEmpty();
        boolean needsProcess =
                context.getTestClass()
                        .map(type -> type.isAnnotationPresent(NeedsProcess.class))
                        .orElse(false);
        if (external && needsProcess) {
            return ConditionEvaluationResult.disabled(
                    "starts and kills brokers, and the one at " + bootstrap() + " is not ours");
        }
        return ConditionEvaluationResult.enabled("there is a broker");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().equals(Broker.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (!bootstrap().isEmpty()) {
            return Broker.parse(bootstrap());
        }
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(Shared.class, _ -> new Shared(), Shared.class)
                .process
                .broker();
    }

    private static String bootstrap() {
        return System.getProperty(BOOTSTRAP_PROPERTY, "").trim();
    }

    /// The process of the run; JUnit closes it at the end.
    private static final class Shared implements AutoCloseable {
        private final Path folder;
        private final SluiceProcess process;

        Shared() {
            try {
                folder = Files.createTempDirectory("sluice-conformance");
            } catch (IOException failure) {
                throw new UncheckedIOException("No folder for the broker", failure);
            }
            process = new SluiceProcess(folder).start();
        }

        @Override
        public void close() throws IOException {
            process.close();
            try (Stream<Path> tree = Files.walk(folder)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}
