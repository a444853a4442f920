package io.sluice.kafka.api.topics;

import io.sluice.controller.TopicPlan;
import io.sluice.log.TopicSettings;
import io.sluice.settings.InvalidSetting;
import io.sluice.settings.SettingDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A topic's settings as clients see them: every key, its value in force, and where the value comes from. Immutable.
public final class TopicConfigView {
    private final Map<String, String> brokerDefaults;

    /// @param brokerDefaults topic settings that this broker's own configuration overrides for all topics
    public TopicConfigView(Map<String, String> brokerDefaults) {
        this.brokerDefaults = Map.copyOf(brokerDefaults);
    }

    /// Where a value comes from, with the protocol's numbers.
    public enum Source {
        TOPIC(1),
        /// Noted in the topic's plan, and not what this broker's own configuration says.
        CLUSTER(3),
        BROKER(4),
        DEFAULT(5);

        private final byte id;

        Source(int id) {
            this.id = (byte) id;
        }

        public byte id() {
            return id;
        }
    }

    public record Entry(SettingDefinition definition, String value, Source source) {
        public String name() {
            return definition.name();
        }
    }

    /// Broker defaults with the topic's own settings on top.
    ///
    /// Throws [InvalidSetting] for a key or value that no topic can have.
    public TopicSettings effective(Map<String, String> topicSettings) {
        return switch (TopicSettings.parse(merge(topicSettings))) {
            case TopicSettings.Parsed.Valid(TopicSettings settings) -> settings;
            case TopicSettings.Parsed.Invalid(String name, String sentence) ->
                    throw new InvalidSetting(name, sentence);
        };
    }

    /// What the log of this topic's replicas works by. What decides about leaders and acknowledgements is as its plan says, on every broker alike.
    public TopicSettings effective(TopicPlan plan) {
        return effective(inForce(plan));
    }

    List<Entry> entries(TopicPlan plan) {
        Map<String, String> noted = noted(plan);
        List<Entry> entries = new ArrayList<>();
        for (SettingDefinition definition : TopicSettings.definitions(merge(inForce(plan)))) {
            String name = definition.name();
            String value = definition.value();
            Source source = Source.DEFAULT;
            if (plan.settings().containsKey(name)) {
                source = Source.TOPIC;
            } else if (noted.containsKey(name) && !value.equals(own(definition))) {
                source = Source.CLUSTER;
            } else if (brokerDefaults.containsKey(name)) {
                source = Source.BROKER;
            }
            entries.add(new Entry(definition, value, source));
        }
        return entries;
    }

    /// What this broker would say for itself.
    private String own(SettingDefinition definition) {
        return brokerDefaults.getOrDefault(definition.name(), definition.defaultValue());
    }

    private static Map<String, String> inForce(TopicPlan plan) {
        Map<String, String> inForce = new HashMap<>(noted(plan));
        inForce.putAll(plan.settings());
        return inForce;
    }

    private static Map<String, String> noted(TopicPlan plan) {
        return plan.rules() == null ? Map.of() : plan.rules().settings();
    }

    private Map<String, String> merge(Map<String, String> topicSettings) {
        Map<String, String> merged = new HashMap<>(brokerDefaults);
        merged.putAll(topicSettings);
        return merged;
    }
}
