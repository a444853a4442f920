package io.sluice.spring.method;

import io.sluice.listener.lane.Job;
import io.sluice.listener.lane.Work;
import io.sluice.listener.message.Message;
import io.sluice.spring.ListenerConfigurationException;
import io.sluice.spring.PayloadConverter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;

/// Work that calls a method: with the converted body, the job and the message, as its parameters wish.
///
/// Immutable.
public final class MethodWork implements Work {
    private sealed interface Parameter {
        record Body(Type type) implements Parameter {}

        record OfJob() implements Parameter {}

        record OfMessage() implements Parameter {}
    }

    private final Object bean;
    private final Method method;
    private final PayloadConverter converter;
    private final List<Parameter> parameters;

    public MethodWork(ListenerMethod listener, PayloadConverter converter) {
        this.bean = listener.bean();
        this.method = listener.method();
        this.converter = converter;
        this.parameters = parameters(listener);
        method.setAccessible(true);
    }

    private static List<Parameter> parameters(ListenerMethod listener) {
        List<Parameter> parameters = new ArrayList<>();
        for (Type type : listener.method().getGenericParameterTypes()) {
            if (type == Job.class) {
                parameters.add(new Parameter.OfJob());
            } else if (type == Message.class) {
                parameters.add(new Parameter.OfMessage());
            } else {
                parameters.add(new Parameter.Body(type));
            }
        }
        if (parameters.stream().filter(Parameter.Body.class::isInstance).count() > 1) {
            throw new ListenerConfigurationException(
                    listener + " has two parameters for the body of a message.",
                    "Keep one besides Job and Message.");
        }
        return parameters;
    }

    @Override
    public void on(Job job) throws Exception {
        Object[] arguments = new Object[parameters.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] =
                    switch (parameters.get(i)) {
                        case Parameter.Body(Type type) -> converter.convert(job.message(), type);
                        case Parameter.OfJob() -> job;
                        case Parameter.OfMessage() -> job.message();
                    };
        }
        try {
            method.invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                case null, default -> throw e;
            }
        }
    }
}
