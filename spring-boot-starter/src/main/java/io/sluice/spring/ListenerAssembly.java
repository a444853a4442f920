package io.sluice.spring;

import io.sluice.listener.Listener;
import io.sluice.listener.guard.Guards;
import io.sluice.listener.json.JsonFieldClassifier;
import io.sluice.listener.lane.Classifier;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.spring.method.ListenerMethod;
import io.sluice.spring.method.ListenerMethods;
import io.sluice.spring.method.MethodWork;
import io.sluice.spring.settings.LanePlan;
import io.sluice.spring.settings.LaneProperties;
import io.sluice.spring.settings.ListenerProperties;
import io.sluice.spring.settings.SourcePlan;
import io.sluice.spring.settings.SourceProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/// Puts listeners together from methods and properties, and refuses what contradicts itself before anything is received.
///
/// Immutable.
final class ListenerAssembly {
    private static final Duration SPRINGS_PATIENCE = Duration.ofSeconds(30);

    /// A listener that only has to be started.
    record Prepared(
            String source,
            List<LaneSettings> lanes,
            Listener.Builder builder,
            ListenerWatch watch) {
        Listener start() {
            Listener listener = builder.start();
            watch.started(source, listener);
            return listener;
        }
    }

    private final ListenerMethods methods;
    private final ListenerProperties properties;
    private final PayloadConverter converter;
    private final List<SourceOpener> openers;
    private final List<LaneCustomizer> customizers;
    private final ListenerWatch watch;
    private final Environment environment;

    ListenerAssembly(
            ListenerMethods methods,
            ListenerProperties properties,
            PayloadConverter converter,
            ObjectProvider<SourceOpener> openers,
            ObjectProvider<LaneCustomizer> customizers,
            ListenerWatch watch,
            Environment environment) {
        this.methods = methods;
        this.properties = properties;
        this.converter = converter;
        this.openers = openers.orderedStream().toList();
        this.customizers = customizers.orderedStream().toList();
        this.watch = watch;
        this.environment = environment;
    }

    List<Prepared> prepare() {
        Map<String, List<ListenerMethod>> sources = new LinkedHashMap<>();
        for (ListenerMethod method : methods.found()) {
            sources.computeIfAbsent(method.source(), name -> new ArrayList<>()).add(method);
        }
        requireSourcesThatExist(sources.keySet());
        requireTimeToStop();
        List<Prepared> prepared = new ArrayList<>();
        sources.forEach((name, all) -> prepared.add(prepare(name, all)));
        return prepared;
    }

    private void requireSourcesThatExist(Set<String> known) {
        Set<String> unknown = new TreeSet<>(properties.sources().keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new ListenerConfigurationException(
                    "%s.sources names %s, but the listener methods of this application have the sources %s."
                            .formatted(ListenerProperties.PREFIX, unknown, known),
                    "Correct the name, here or in @SluiceListener; one with other characters than letters, digits and - is written [in.brackets].");
        }
    }

    /// Spring gives a phase so much time to stop and then goes on, into connection pools that jobs still use.
    private void requireTimeToStop() {
        String name = "spring.lifecycle.timeout-per-shutdown-phase";
        Duration patience =
                Binder.get(environment).bind(name, Duration.class).orElse(SPRINGS_PATIENCE);
        if (patience.compareTo(properties.shutdown()) < 0) {
            throw new ListenerConfigurationException(
                    "%s.shutdown=%s is longer than %s=%s, so that the application would close what jobs still need."
                            .formatted(
                                    ListenerProperties.PREFIX,
                                    properties.shutdown(),
                                    name,
                                    patience),
                    "Raise the second or lower the first.");
        }
    }

    private Prepared prepare(String source, List<ListenerMethod> lanes) {
        ListenerMethod first = lanes.getFirst();
        SourceProperties said = properties.source(source);
        Guards guards = properties.guards().guards();
        requireOneAddress(source, lanes);
        var plan =
                new SourcePlan(
                        source,
                        first.address(),
                        first.queue(),
                        said,
                        lanes.stream().map(ListenerMethod::lane).toList());
        plan.requireTimeToStop(properties.shutdown());
        List<LaneSettings> settings = new ArrayList<>();
        for (ListenerMethod method : lanes) {
            settings.add(lane(source, method, said));
        }
        Listener.Builder builder =
                Listener.of(opener(first.queue()).open(first.address(), said))
                        .guards(guards)
                        .observe(watch.observer(source));
        settings.forEach(builder::lane);
        if (said.laneFromAttribute() != null) {
            builder.classify(
                    said.laneOtherwise() == null
                            ? Classifier.byAttribute(said.laneFromAttribute())
                            : Classifier.byAttribute(
                                    said.laneFromAttribute(), said.laneOtherwise()));
        } else if (said.laneFromJson() != null) {
            builder.classify(new JsonFieldClassifier(said.laneFromJson(), said.laneOtherwise()));
        }
        return new Prepared(source, settings, builder, watch);
    }

    private LaneSettings lane(String source, ListenerMethod method, SourceProperties said) {
        LaneProperties lane = said.lanes().getOrDefault(method.lane(), LaneProperties.NONE);
        LanePlan plan =
                LanePlan.of(
                        source,
                        method.lane(),
                        method.limit(),
                        lane,
                        Threading.VIRTUAL.isActive(environment),
                        Runtime.getRuntime().availableProcessors());
        LaneSettings settings = plan.lane(new MethodWork(method, converter));
        for (LaneCustomizer customizer : customizers) {
            settings = customizer.customize(source, settings);
        }
        requireThreads(source, settings);
        return settings;
    }

    /// A pool that a customizer brought.
    private static void requireThreads(String source, LaneSettings lane) {
        if (lane.executor() instanceof ThreadPoolTaskExecutor pool) {
            // A pool with a queue has more than its core threads only when that queue is full.
            boolean queues = pool.getQueueCapacity() > 0;
            int threads = queues ? pool.getCorePoolSize() : pool.getMaxPoolSize();
            String name = queues ? "corePoolSize" : "maxPoolSize";
            if (threads < lane.limit().greatest()) {
                throw new ListenerConfigurationException(
                        "Lane %s of %s has an executor with %s=%d%s, smaller than its greatest limit %d: jobs would be refused or wait although they have a slot."
                                .formatted(
                                        lane.name(),
                                        source,
                                        name,
                                        threads,
                                        queues
                                                ? " and queueCapacity=" + pool.getQueueCapacity()
                                                : "",
                                        lane.limit().greatest()),
                        "Raise %s or lower the limit.".formatted(name));
            }
        }
    }

    private static void requireOneAddress(String source, List<ListenerMethod> lanes) {
        Map<String, ListenerMethod> byLane = new LinkedHashMap<>();
        ListenerMethod first = lanes.getFirst();
        for (ListenerMethod method : lanes) {
            if (method.queue() != first.queue() || !method.address().equals(first.address())) {
                throw new ListenerConfigurationException(
                        "%s listens to %s and %s to %s, but both call their source %s."
                                .formatted(
                                        first, first.address(), method, method.address(), source),
                        "Give one of them another @SluiceListener(source = …).");
            }
            ListenerMethod other = byLane.put(method.lane(), method);
            if (other != null) {
                throw new ListenerConfigurationException(
                        "%s and %s are both lane %s of %s."
                                .formatted(other, method, method.lane(), source),
                        "Give each a lane of its own; every message belongs to one.");
            }
        }
    }

    private SourceOpener opener(boolean queue) {
        return openers.stream()
                .filter(opener -> opener.queues() == queue)
                .findFirst()
                .orElseThrow(
                        () ->
                                new ListenerConfigurationException(
                                        "A listener method wants a %s, but its client is not on the class path."
                                                .formatted(queue ? "queue" : "topic"),
                                        "Add the dependency %s."
                                                .formatted(
                                                        queue
                                                                ? "software.amazon.awssdk:sqs"
                                                                : "org.apache.kafka:kafka-clients")));
    }
}
