package io.sluice.testing;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// One broker for all tests of a class: `@ExtendWith(SluiceExtension.class)`, then a parameter of type [Sluice] where it is needed.
///
/// Owned by JUnit, which calls it from one thread at a time.
public final class SluiceExtension
        implements BeforeAllCallback, AfterAllCallback, ParameterResolver {
    private @Nullable Sluice sluice;

    @Override
    public void beforeAll(ExtensionContext context) {
        sluice = Sluice.ephemeral();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (sluice != null) {
            sluice.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Sluice.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (sluice == null) {
            throw new IllegalStateException(
                    "The broker starts with the class: register SluiceExtension on the class, or in a static field.");
        }
        return sluice;
    }
}
