package io.sluice.coordinator.groups;

import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorLimits;
import io.sluice.coordinator.InMemoryPartition;
import io.sluice.coordinator.ManualWorld;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.GroupCommand.Assignment;
import io.sluice.coordinator.groups.GroupCommand.Client;
import io.sluice.coordinator.groups.GroupCommand.Dialect;
import io.sluice.coordinator.groups.GroupCommand.Leaver;
import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.OffsetToCommit;
import io.sluice.coordinator.groups.GroupCommand.Timeouts;
import io.sluice.record.LogRecord;
import io.sluice.record.PartitionId;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import io.sluice.settings.Quantities;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Plays a script of what clients do against a real coordinator, and writes down what happens.
final class GroupStory {
    private static final String GROUP = "orders";
    private static final UUID TOPIC_ID = new UUID(1, 1);

    private final ManualWorld world = new ManualWorld();
    private final InMemoryPartition partition = new InMemoryPartition();
    private final Map<String, StoryClient> clients = new LinkedHashMap<>();
    private final List<String> told = new ArrayList<>();
    private GroupMachine machine = new GroupMachine(GroupSettings.defaults());
    private Coordinator<GroupCommand<?>, GroupChange, GroupReply> coordinator = start();
    private int batchesTold;
    private String groupTold = "";
    private int freshIds;

    private Coordinator<GroupCommand<?>, GroupChange, GroupReply> start() {
        machine = new GroupMachine(GroupSettings.defaults());
        return Coordinator.start(
                new Coordinator.Parts<>(
                        "__consumer_offsets-0",
                        partition.open(),
                        machine,
                        new GroupRecordFormat(),
                        world,
                        () -> true,
                        world,
                        CoordinatorLimits.DEFAULT));
    }

    /// One line of the script; the answer is all that happened by it.
    List<String> play(String line) {
        told.clear();
        ScriptLine script = ScriptLine.parse(line);
        switch (script.verb()) {
            case "join" -> join(script);
            case "sync" -> sync(script);
            case "beat" -> ask(script, new GroupCommand.Heartbeat(GROUP, ref(script)));
            case "leave" -> leave(script);
            case "commit" -> commit(script);
            case "fetch" -> ask(script, new GroupCommand.FetchOffsets(GROUP, script.partitions()));
            case "delete-offsets" -> deleteOffsets(script);
            case "delete-group" -> ask(script, new GroupCommand.DeleteGroup(GROUP));
            case "describe" -> ask(script, new GroupCommand.Describe(GROUP));
            case "list" -> ask(script, new GroupCommand.ListGroups(Set.of()));
            case "forget-topic" ->
                    ask(script, new GroupCommand.ForgetTopic(script.subject(), TOPIC_ID));
            case "wait" -> world.advance(Quantities.parseDuration(script.subject()));
            case "restart" -> restart();
            case "disk" ->
                    partition.refuse(
                            script.subject().equals("full") ? Unavailability.LOG_FULL : null);
            case "forget" -> clients.remove(script.subject());
            default -> throw new IllegalArgumentException("no such verb: " + line);
        }
        world.settle();
        tellLog();
        tellGroup();
        return told.stream().map(GroupStory::abbreviated).toList();
    }

    private StoryClient client(String name) {
        return clients.computeIfAbsent(name, StoryClient::new);
    }

    private MemberRef ref(ScriptLine script) {
        StoryClient client = client(script.subject());
        int generation = script.number("generation", client.generation);
        String memberId = script.optionOrNull("member", null);
        return new MemberRef(
                memberId == null ? client.memberId : unabbreviated(memberId),
                client.instanceId,
                generation);
    }

    private void join(ScriptLine script) {
        StoryClient client = client(script.subject());
        client.instanceId = script.optionOrNull("instance", client.instanceId);
        String topics = script.optionOrNull("topics", null);
        if (topics != null || client.protocols.isEmpty() || script.has("protocols")) {
            client.protocols =
                    StoryClient.protocols(
                            script.option("protocols", "range"),
                            new TreeSet<>(List.of((topics == null ? "t" : topics).split(","))));
        }
        int version = script.number("version", 9);
        GroupCommand.Join join =
                new GroupCommand.Join(
                        GROUP,
                        client.memberId,
                        client.instanceId,
                        new Client(client.name, "/10.0.0.1"),
                        new Timeouts(
                                script.millis("session", 45_000),
                                script.millis("rebalance", 300_000)),
                        script.option("type", "consumer"),
                        client.protocols,
                        new Dialect(version >= 4, version >= 9),
                        new UUID(0, ++freshIds),
                        script.optionOrNull("reason", null));
        ask(script, join);
    }

    private void sync(ScriptLine script) {
        List<Assignment> plan = new ArrayList<>();
        script.pairs()
                .forEach(
                        (name, partitions) -> {
                            StoryClient member = clients.get(name);
                            if (member != null) {
                                plan.add(new Assignment(member.memberId, Blob.utf8(partitions)));
                            }
                        });
        ask(
                script,
                new GroupCommand.Sync(
                        GROUP,
                        ref(script),
                        script.optionOrNull("type", null),
                        script.optionOrNull("protocol", null),
                        plan));
    }

    private void leave(ScriptLine script) {
        List<Leaver> leavers = new ArrayList<>();
        String instance = script.optionOrNull("instance", null);
        if (instance != null) {
            leavers.add(new Leaver("", instance, "removed by an operator"));
        } else {
            StoryClient client = client(script.subject());
            leavers.add(
                    new Leaver(
                            client.memberId,
                            client.instanceId,
                            script.optionOrNull("reason", null)));
        }
        ask(script, new GroupCommand.Leave(GROUP, leavers));
    }

    private void commit(ScriptLine script) {
        List<OffsetToCommit> offsets = new ArrayList<>();
        script.pairs()
                .forEach(
                        (partition, offset) -> {
                            if (partition.matches(".*-\\d+")) {
                                offsets.add(
                                        new OffsetToCommit(
                                                ScriptLine.partition(partition),
                                                Long.parseLong(offset),
                                                -1,
                                                "",
                                                null));
                            }
                        });
        MemberRef ref = script.subject().equals("-") ? new MemberRef("", null, -1) : ref(script);
        ask(script, new GroupCommand.CommitOffsets(GROUP, ref, offsets, -1));
    }

    private void deleteOffsets(ScriptLine script) {
        List<PartitionId> partitions = script.partitions();
        ask(
                script,
                new GroupCommand.DeleteOffsets(GROUP, partitions == null ? List.of() : partitions));
    }

    private void restart() {
        coordinator.close(Unavailability.STOPPING);
        world.settle();
        coordinator = start();
        told.add("the coordinator has replayed its log");
    }

    private void ask(ScriptLine script, GroupCommand<?> command) {
        String name = clients.containsKey(script.subject()) ? script.subject() : "";
        coordinator
                .submit(command)
                .whenDone(
                        reply -> {
                            switch (reply.value()) {
                                case Outcome.Done<GroupReply>(GroupReply done) ->
                                        answered(name, done);
                                case Outcome.Unavailable<GroupReply>(Unavailability cause) ->
                                        tell(name, "unavailable: " + cause);
                            }
                        });
    }

    private void tell(String name, String sentence) {
        tellLog();
        told.add((name.isEmpty() ? "" : name + " ← ") + sentence);
    }

    private void answered(String name, GroupReply reply) {
        tell(name, StoryTeller.tell(reply));
        StoryClient client = clients.get(name);
        if (client != null && reply instanceof GroupReply.Joined joined) {
            client.memberId = joined.memberId();
            client.generation = joined.generation();
        }
        if (client != null && reply instanceof GroupReply.MemberIdRequired required) {
            client.memberId = required.memberId();
        }
    }

    private void tellLog() {
        List<ByteBuffer> batches = partition.batches();
        for (; batchesTold < batches.size(); batchesTold++) {
            for (LogRecord record :
                    RecordReader.readAll(RecordBatch.at(batches.get(batchesTold), 0))) {
                GroupChange change = new GroupRecordFormat().decode(record);
                told.add("log: " + StoryTeller.tell(change));
            }
        }
    }

    private void tellGroup() {
        GroupTable.Entry entry = machine.table().find(GROUP);
        String group = entry == null ? "group: none" : "group: " + StoryTeller.tell(entry.group());
        if (!group.equals(groupTold)) {
            told.add(group);
            groupTold = group;
        }
    }

    /// `A-00000000-0000-0000-0000-000000000001` is `A-1` to the reader.
    private static String abbreviated(String line) {
        return line.replaceAll("-00000000-0000-0000-0000-0*", "-");
    }

    private static String unabbreviated(String memberId) {
        int dash = memberId.lastIndexOf('-');
        return memberId.substring(0, dash + 1)
                + new UUID(0, Long.parseLong(memberId.substring(dash + 1)));
    }

    /// A verb, whom it is about, and `name=value` pairs.
    record ScriptLine(String verb, String subject, List<String> words, Map<String, String> pairs) {
        static ScriptLine parse(String line) {
            List<String> words = new ArrayList<>();
            Map<String, String> pairs = new LinkedHashMap<>();
            String[] parts = line.trim().split("\\s+");
            for (int i = 1; i < parts.length; i++) {
                int equals = parts[i].indexOf('=');
                if (equals > 0) {
                    pairs.put(
                            parts[i].substring(0, equals),
                            parts[i].substring(equals + 1).replace('_', ' '));
                } else {
                    words.add(parts[i]);
                }
            }
            return new ScriptLine(parts[0], words.isEmpty() ? "" : words.getFirst(), words, pairs);
        }

        boolean has(String name) {
            return pairs.containsKey(name);
        }

        String option(String name, String otherwise) {
            return pairs.getOrDefault(name, otherwise);
        }

        @Nullable String optionOrNull(String name, @Nullable String otherwise) {
            String given = pairs.get(name);
            return given == null ? otherwise : given;
        }

        int number(String name, int otherwise) {
            String given = pairs.get(name);
            return given == null ? otherwise : Integer.parseInt(given);
        }

        int millis(String name, int otherwise) {
            String given = pairs.get(name);
            return given == null ? otherwise : (int) Quantities.parseDuration(given).toMillis();
        }

        @Nullable List<PartitionId> partitions() {
            return words.isEmpty() ? null : words.stream().map(ScriptLine::partition).toList();
        }

        static PartitionId partition(String text) {
            int dash = text.lastIndexOf('-');
            return new PartitionId(
                    text.substring(0, dash), Integer.parseInt(text.substring(dash + 1)));
        }
    }
}
