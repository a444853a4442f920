package io.sluice.broker;

import io.sluice.coordinator.groups.GroupSettings;
import io.sluice.log.TopicSettings;
import io.sluice.node.NodeSettings;
import io.sluice.settings.InvalidSetting;
import io.sluice.settings.SettingDefinition;
import io.sluice.settings.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Everything a broker can be told, read and checked as a whole. Immutable.
///
/// @param topicDefaults settings for all topics that do not set them themselves: `topic.retention.ms` and the like, without the prefix
/// @param definitions every setting there is, with the value in force
record BrokerSettings(
        DataPlace data,
        BrokerConfig broker,
        ClusterConfig cluster,
        GroupSettings groups,
        LogSetup logging,
        Map<String, String> topicDefaults,
        List<SettingDefinition> definitions) {
    private static final String TOPIC_PREFIX = "topic.";

    /// @param dataPath where the data really is
    NodeSettings node(String dataPath) {
        return new NodeSettings(
                broker.nodeId(),
                dataPath,
                broker.topics(),
                broker.storage(),
                broker.controller(),
                groups,
                topicDefaults,
                Math.max(1, cluster.ensemble().members().size()),
                definitions);
    }

    static BrokerSettings read(Map<String, String> given) {
        Map<String, String> own = new HashMap<>();
        Map<String, String> topics = new HashMap<>();
        given.forEach(
                (name, value) -> {
                    if (name.startsWith(TOPIC_PREFIX)) {
                        topics.put(name.substring(TOPIC_PREFIX.length()), value);
                    } else {
                        own.put(name, value);
                    }
                });
        Settings settings = new Settings(own);
        DataPlace data = DataPlace.from(settings);
        BrokerConfig broker = BrokerConfig.from(settings);
        ClusterConfig cluster = ClusterConfig.from(settings);
        GroupSettings groups = GroupSettings.from(settings);
        LogSetup logging = LogSetup.read(settings);
        settings.refuseUnknown();
        if (TopicSettings.parse(topics)
                instanceof TopicSettings.Parsed.Invalid(String name, String sentence)) {
            throw new InvalidSetting(
                    TOPIC_PREFIX + name,
                    sentence.replace("'" + name + "'", "'" + TOPIC_PREFIX + name + "'"));
        }
        List<SettingDefinition> all = new ArrayList<>(settings.definitions());
        for (SettingDefinition topic : TopicSettings.definitions(topics)) {
            all.add(
                    new SettingDefinition(
                            TOPIC_PREFIX + topic.name(),
                            topic.kind(),
                            topic.defaultValue(),
                            topic.allowed(),
                            topic.doc(),
                            topic.value(),
                            topic.isSet()));
        }
        return new BrokerSettings(data, broker, cluster, groups, logging, topics, List.copyOf(all));
    }
}
