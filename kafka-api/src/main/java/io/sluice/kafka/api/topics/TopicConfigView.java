package io.sluice.kafka.api.topics;

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

    /// Broker defaults with the topic's own settings on top: what the log works by.
    ///
    /// Throws [InvalidSetting] for a key or value that no topic can have.
    public TopicSettings effective(Map<String, String> topicSettings) {
        return switch (TopicSettings.parse(merge(topicSettings))) {
            case TopicSettings.Parsed.Valid(TopicSettings settings) -> settings;
            case TopicSettings.Parsed.Invalid(String name, String sentence) ->
                    throw new InvalidSetting(name, sentence);
        };
    }

    List<Entry> entries(Map<String, String> topicSettings) {
        List<Entry> entries = new ArrayList<>();
        for (SettingDefinition definition : TopicSettings.definitions(merge(topicSettings))) {
            Source source = Source.DEFAULT;
            if (topicSettings.containsKey(definition.name())) {
                source = Source.TOPIC;
            } else if (brokerDefaults.containsKey(definition.name())) {
                source = Source.BROKER;
            }
            entries.add(new Entry(definition, definition.value(), source));
        }
        return entries;
    }

    private Map<String, String> merge(Map<String, String> topicSettings) {
        Map<String, String> merged = new HashMap<>(brokerDefaults);
        merged.putAll(topicSettings);
        return merged;
    }
}
