package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The plan as everybody sees it: brokers and topics at one moment. Immutable; a change makes a new one.
public final class ClusterView {
    /// No broker is the controller.
    public static final int NOBODY = -1;

    private final String clusterId;
    private final Office office;
    private final Brokers brokers;
    private final Topics topics;
    private final Upcoming upcoming;

    /// Who is the controller.
    ///
    /// @param holder its id, or [#NOBODY]
    /// @param epoch grows with every controller that takes office; -1 before the first
    /// @param nodeVersion of the node that names the holder; -1 when there is none
    record Office(int holder, int epoch, int nodeVersion) {
        static final Office VACANT = new Office(NOBODY, -1, -1);
    }

    /// All brokers, by id: those that are registered, and what controllers have noted of them.
    record Brokers(
            NavigableMap<Integer, Registered> registered,
            NavigableMap<Integer, Member> members,
            List<BrokerView> live) {
        static final Brokers NONE = of(new TreeMap<>(), new TreeMap<>());

        static Brokers of(
                NavigableMap<Integer, Registered> registered,
                NavigableMap<Integer, Member> members) {
            List<BrokerView> live = new ArrayList<>();
            for (Registered broker : registered.values()) {
                Member member = members.get(broker.registration().id());
                if (member != null && member.epoch() == broker.epoch() && !member.isAway()) {
                    live.add(broker.view());
                }
            }
            return new Brokers(registered, members, List.copyOf(live));
        }
    }

    /// All topics, by name and by id.
    record Topics(NavigableMap<String, TopicPlan> byName, Map<UUID, TopicPlan> byId) {
        static Topics of(Collection<TopicPlan> plans) {
            Topics topics = new Topics(new TreeMap<>(), new HashMap<>());
            plans.forEach(topics::put);
            return topics;
        }

        Topics copy() {
            return new Topics(new TreeMap<>(byName), new HashMap<>(byId));
        }

        /// Before it is shared.
        void put(TopicPlan plan) {
            remove(plan.name());
            byName.put(plan.name(), plan);
            byId.put(plan.id(), plan);
        }

        /// Before it is shared.
        void remove(String name) {
            TopicPlan old = byName.remove(name);
            if (old != null) {
                byId.remove(old.id());
            }
        }
    }

    /// What is still to be done: data of deleted topics, and moves that wait, with how fast they may go.
    record Upcoming(
            NavigableMap<String, DeletionNote> deletions,
            NavigableMap<String, MoveQueue> moves,
            MoveLimit limit) {
        static final Upcoming NOTHING =
                new Upcoming(new TreeMap<>(), new TreeMap<>(), MoveLimit.NONE);
    }

    ClusterView(
            String clusterId, Office office, Brokers brokers, Topics topics, Upcoming upcoming) {
        this.clusterId = clusterId;
        this.office = office;
        this.brokers = brokers;
        this.topics = topics;
        this.upcoming = upcoming;
    }

    /// For those who need a view without a store: all these brokers are live.
    public ClusterView(
            String clusterId,
            List<BrokerView> brokers,
            int controllerId,
            Collection<TopicPlan> topics) {
        this(
                clusterId,
                new Office(controllerId, 0, 0),
                allLive(brokers),
                Topics.of(topics),
                Upcoming.NOTHING);
    }

    private static Brokers allLive(List<BrokerView> brokers) {
        UUID nowhere = new UUID(0, 0);
        NavigableMap<Integer, Registered> registered = new TreeMap<>();
        NavigableMap<Integer, Member> members = new TreeMap<>();
        for (BrokerView one : brokers) {
            Registration registration =
                    new Registration(
                            one.id(),
                            one.host(),
                            one.port(),
                            one.rack(),
                            nowhere,
                            nowhere,
                            null,
                            Registration.UNCLEAN,
                            null);
            registered.put(one.id(), new Registered(registration, one.epoch(), 0));
            members.put(
                    one.id(),
                    new Member(
                            one.id(),
                            one.epoch(),
                            nowhere,
                            nowhere,
                            null,
                            Member.State.ACTIVE,
                            Member.PRESENT,
                            false,
                            0));
        }
        return Brokers.of(registered, members);
    }

    static ClusterView empty() {
        return new ClusterView(
                "", Office.VACANT, Brokers.NONE, Topics.of(List.of()), Upcoming.NOTHING);
    }

    public String clusterId() {
        return clusterId;
    }

    /// Those that are live: registered, admitted by the controller, and heard of. In the order of their ids.
    public List<BrokerView> brokers() {
        return brokers.live();
    }

    /// A live broker.
    public @Nullable BrokerView findBroker(int id) {
        Registered broker = isLive(id) ? brokers.registered().get(id) : null;
        return broker == null ? null : broker.view();
    }

    /// A broker that has registered, live or not: where it can be reached.
    public @Nullable BrokerView findRegistered(int id) {
        Registered broker = brokers.registered().get(id);
        return broker == null ? null : broker.view();
    }

    /// Of its present registration, or -1.
    public long brokerEpoch(int id) {
        Registered broker = brokers.registered().get(id);
        return broker == null ? -1 : broker.epoch();
    }

    /// The topic was deleted, and this broker is still told to remove what it has of it.
    public boolean isToRetire(int broker, UUID topic) {
        return upcoming.deletions().values().stream()
                .flatMap(note -> note.waitingFor(broker).stream())
                .anyMatch(deletion -> deletion.id().equals(topic));
    }

    public boolean isLive(int id) {
        Registered broker = brokers.registered().get(id);
        Member member = brokers.members().get(id);
        return broker != null
                && member != null
                && member.epoch() == broker.epoch()
                && !member.isAway();
    }

    /// Its data disk has no room, by what it has told the controller.
    public boolean isDiskFull(int id) {
        Member member = brokers.members().get(id);
        return member != null && member.diskFull();
    }

    /// All brokers that were ever part of the cluster and have not been removed, by id.
    public SortedMap<Integer, Member> members() {
        return Collections.unmodifiableSortedMap(brokers.members());
    }

    /// The broker's id, or [#NOBODY].
    public int controllerId() {
        return office.holder();
    }

    /// Grows with every controller that takes office.
    public int controllerEpoch() {
        return office.epoch();
    }

    /// In the order of their names.
    public Collection<TopicPlan> topics() {
        return Collections.unmodifiableCollection(topics.byName().values());
    }

    /// Topics whose name is at or behind the given one, in order.
    public Collection<TopicPlan> topicsFrom(String name) {
        return Collections.unmodifiableCollection(topics.byName().tailMap(name, true).values());
    }

    public @Nullable TopicPlan findTopic(String name) {
        return topics.byName().get(name);
    }

    public @Nullable TopicPlan findTopic(UUID id) {
        return topics.byId().get(id);
    }

    public @Nullable PartitionPlan findPartition(PartitionId id) {
        TopicPlan topic = findTopic(id.topic());
        return topic == null || id.index() < 0 || id.index() >= topic.partitions().size()
                ? null
                : topic.partitions().get(id.index());
    }

    public int partitionCount() {
        int count = 0;
        for (TopicPlan topic : topics.byName().values()) {
            count += topic.partitions().size();
        }
        return count;
    }

    /// Moves under way and moves that wait, in the order of their partitions.
    public List<Move> moves() {
        return Moves.of(this);
    }

    /// How many bytes per second each broker may copy for moves, 0 for no limit; empty when nobody has ordered it for the cluster.
    public OptionalLong moveLimit() {
        long ordered = upcoming.limit().bytesPerSecond();
        return ordered == MoveLimit.UNSET ? OptionalLong.empty() : OptionalLong.of(ordered);
    }

    Office office() {
        return office;
    }

    Brokers brokersAndMembers() {
        return brokers;
    }

    Topics plans() {
        return topics;
    }

    Upcoming upcoming() {
        return upcoming;
    }

    ClusterView with(TopicPlan topic) {
        Topics more = topics.copy();
        more.put(topic);
        return new ClusterView(clusterId, office, brokers, more, upcoming);
    }

    ClusterView with(Brokers others) {
        return new ClusterView(clusterId, office, others, topics, upcoming);
    }
}
