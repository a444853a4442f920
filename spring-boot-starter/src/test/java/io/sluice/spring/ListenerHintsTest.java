package io.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;

/// What a native image has to know.
class ListenerHintsTest {
    record Page(int number) {}

    record Document(String name, List<Page> pages) {}

    static class Worker {
        @SluiceListener(queue = "documents")
        void label(Document document) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        Worker worker() {
            return new Worker();
        }
    }

    @Test
    void listenerMethodsAndWhatTheyTakeAreReachable() throws NoSuchMethodException {
        var hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Worker.class);
        assertThat(
                        RuntimeHintsPredicates.reflection()
                                .onMethodInvocation(
                                        Worker.class.getDeclaredMethod("label", Document.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Document.class)).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Page.class)).accepts(hints);
    }

    @Test
    void anApplicationIsProcessedAheadOfTime() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.register(Application.class, SluiceListenerAutoConfiguration.class);
            var generation = new TestGenerationContext();
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            assertThat(
                            RuntimeHintsPredicates.reflection()
                                    .onType(io.sluice.spring.settings.ListenerProperties.class))
                    .accepts(generation.getRuntimeHints());
        }
    }

    @Test
    void aDisabledListenerStaysAway() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceListenerAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withPropertyValues("sluice.listener.enabled=false")
                .run(context -> assertThat(context.getBean(Listeners.class).isRunning()).isFalse());
    }
}
