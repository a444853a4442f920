package io.sluice.spring.method;

import io.sluice.spring.ListenerConfigurationException;
import io.sluice.spring.SluiceListener;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.EmbeddedValueResolverAware;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.StringValueResolver;

/// Finds the methods with [SluiceListener] while beans are made.
///
/// Thread-safe.
public final class ListenerMethods implements BeanPostProcessor, EmbeddedValueResolverAware {
    private final List<ListenerMethod> methods = new CopyOnWriteArrayList<>();
    private StringValueResolver placeholders = text -> text;

    @Override
    public void setEmbeddedValueResolver(StringValueResolver resolver) {
        placeholders = resolver;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        MethodIntrospector.MetadataLookup<SluiceListener> lookup =
                method -> AnnotatedElementUtils.findMergedAnnotation(method, SluiceListener.class);
        Map<Method, SluiceListener> annotated = MethodIntrospector.selectMethods(type, lookup);
        annotated.forEach((method, annotation) -> methods.add(read(bean, method, annotation)));
        return bean;
    }

    private ListenerMethod read(Object bean, Method method, SluiceListener annotation) {
        String queue = resolve(annotation.queue());
        String topic = resolve(annotation.topic());
        String where = method.getDeclaringClass().getSimpleName() + "." + method.getName();
        if (queue.isEmpty() == topic.isEmpty()) {
            throw new ListenerConfigurationException(
                    "@SluiceListener of %s has queue=\"%s\" and topic=\"%s\"."
                            .formatted(where, queue, topic),
                    "Set exactly one of them.");
        }
        if (method.getReturnType() != void.class) {
            throw new ListenerConfigurationException(
                    "%s returns %s, and nobody would read it: a message is done when its method returns."
                            .formatted(where, method.getReturnType().getSimpleName()),
                    "Return void; wait for a future inside of the method.");
        }
        requireToBeDoneWhenItReturns(AopUtils.getTargetClass(bean), method, where);
        String address = queue.isEmpty() ? topic : queue;
        String source = resolve(annotation.source());
        // Proxies call through: transactions, security and the like apply to listener methods too.
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        return new ListenerMethod(
                bean,
                invocable,
                address,
                topic.isEmpty(),
                source.isEmpty() ? address.substring(address.lastIndexOf('/') + 1) : source,
                resolve(annotation.lane()),
                limit(where, resolve(annotation.limit())));
    }

    private static void requireToBeDoneWhenItReturns(Class<?> type, Method method, String where) {
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class)) {
            throw new ListenerConfigurationException(
                    "%s is a listener method and @Async: it would return at once, and its message count as done before anything is."
                            .formatted(where),
                    "Remove @Async; a lane has threads of its own.");
        }
    }

    private static @Nullable Integer limit(String where, String limit) {
        try {
            return limit.isEmpty() ? null : Integer.valueOf(limit);
        } catch (NumberFormatException e) {
            throw new ListenerConfigurationException(
                    "@SluiceListener of %s has limit=\"%s\", which is no number."
                            .formatted(where, limit),
                    "Write for example limit = \"3\".");
        }
    }

    private String resolve(String text) {
        String resolved = placeholders.resolveStringValue(text);
        return resolved == null ? "" : resolved;
    }

    /// Those found so far.
    public List<ListenerMethod> found() {
        return List.copyOf(methods);
    }
}
