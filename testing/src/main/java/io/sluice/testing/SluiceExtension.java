package io.sluice.testing;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// One broker for all tests of a class and its `@Nested` ones: `@ExtendWith(SluiceExtension.class)`, then a parameter of type [Sluice] where it is needed.
///
/// Thread-safe: nested classes may run side by side; all under its lock.
public final class SluiceExtension
        implements BeforeAllCallback, AfterAllCallback, ParameterResolver {
    private @Nullable Sluice sluice;

    /// Classes that have begun and not ended: JUnit calls for nested ones as well.
    private int classes;

    @Override
    public synchronized void beforeAll(ExtensionContext context) {
        classes++;
        if (classes == 1) {
            sluice = Sluice.ephemeral();
        }
    }

    @Override
    public synchronized void afterAll(ExtensionContext context) {
        classes--;
        if (classes == 0 && sluice != null) {
            sluice.close();
            sluice = null;
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Sluice.class;
    }

    @Override
    public synchronized Object resolveParameter(
            ParameterContext parameter, ExtensionContext context) {
        if (sluice == null) {
            throw new IllegalStateException(
                    "The broker starts with the class: register SluiceExtension on the class, or in"
                            + " a static field.");
        }
        return sluice;
    }
}
