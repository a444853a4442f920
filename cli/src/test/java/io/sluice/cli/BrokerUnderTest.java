package io.sluice.cli;

import io.sluice.testing.Sluice;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// The seam between tests and the broker they need: a parameter of type [BrokerAddress] says where it is.
///
/// By default that is a Sluice broker in this JVM, one for all tests. With `-Dsluice.test.bootstrap=host:port` it is whatever listens
/// there: the same tests show that we work with Apache Kafka.
public final class BrokerUnderTest implements ParameterResolver {
    private static final String PROPERTY = "sluice.test.bootstrap";

    /// Where the broker is, as `host:port`.
    public record BrokerAddress(String servers) {}

    /// The broker in this JVM; JUnit closes it after the last test.
    private record InJvm(Sluice sluice) implements AutoCloseable {
        @Override
        public void close() {
            sluice.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().equals(BrokerAddress.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        String given = System.getProperty(PROPERTY, "");
        return new BrokerAddress(given.isEmpty() ? inJvm(context).bootstrap() : given);
    }

    private static Sluice inJvm(ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(BrokerUnderTest.class))
                .computeIfAbsent(InJvm.class, _ -> new InJvm(Sluice.ephemeral()), InJvm.class)
                .sluice();
    }
}
