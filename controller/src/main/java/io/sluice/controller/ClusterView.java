package io.sluice.controller;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The plan as everybody sees it: brokers and topics at one moment. Immutable; a change makes a new one.
public final class ClusterView {
    private final String clusterId;
    private final List<BrokerAddress> brokers;
    private final int controllerId;
    private final NavigableMap<String, TopicPlan> byName;
    private final Map<UUID, TopicPlan> byId;

    public ClusterView(
            String clusterId,
            List<BrokerAddress> brokers,
            int controllerId,
            Collection<TopicPlan> topics) {
        this.clusterId = clusterId;
        this.brokers = List.copyOf(brokers);
        this.controllerId = controllerId;
        this.byName = new TreeMap<>();
        this.byId = new HashMap<>();
        for (TopicPlan topic : topics) {
            byName.put(topic.name(), topic);
            byId.put(topic.id(), topic);
        }
    }

    private ClusterView(
            ClusterView base, NavigableMap<String, TopicPlan> byName, Map<UUID, TopicPlan> byId) {
        this.clusterId = base.clusterId;
        this.brokers = base.brokers;
        this.controllerId = base.controllerId;
        this.byName = byName;
        this.byId = byId;
    }

    public String clusterId() {
        return clusterId;
    }

    public List<BrokerAddress> brokers() {
        return brokers;
    }

    public int controllerId() {
        return controllerId;
    }

    /// In the order of their names.
    public Collection<TopicPlan> topics() {
        return Collections.unmodifiableCollection(byName.values());
    }

    /// Topics whose name is at or behind the given one, in order.
    public Collection<TopicPlan> topicsFrom(String name) {
        return Collections.unmodifiableCollection(byName.tailMap(name, true).values());
    }

    public @Nullable TopicPlan findTopic(String name) {
        return byName.get(name);
    }

    public @Nullable TopicPlan findTopic(UUID id) {
        return byId.get(id);
    }

    public int partitionCount() {
        int count = 0;
        for (TopicPlan topic : byName.values()) {
            count += topic.partitions().size();
        }
        return count;
    }

    ClusterView with(TopicPlan topic) {
        NavigableMap<String, TopicPlan> names = new TreeMap<>(byName);
        Map<UUID, TopicPlan> ids = new HashMap<>(byId);
        names.put(topic.name(), topic);
        ids.put(topic.id(), topic);
        return new ClusterView(this, names, ids);
    }

    ClusterView without(TopicPlan topic) {
        NavigableMap<String, TopicPlan> names = new TreeMap<>(byName);
        Map<UUID, TopicPlan> ids = new HashMap<>(byId);
        names.remove(topic.name());
        ids.remove(topic.id());
        return new ClusterView(this, names, ids);
    }
}
