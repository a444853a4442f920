package io.sluice.spring.method;

import io.sluice.listener.lane.Job;
import io.sluice.listener.message.Message;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;

/// Tells a native image which methods are called by reflection, and which types are made of JSON.
///
/// Immutable.
public final class ListenerHints implements ReflectiveProcessor {
    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
        if (element instanceof Method method) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
            for (Type type : method.getGenericParameterTypes()) {
                if (type != Job.class && type != Message.class) {
                    binding.registerReflectionHints(hints, type);
                }
            }
        }
    }
}
