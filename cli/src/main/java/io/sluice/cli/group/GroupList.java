package io.sluice.cli.group;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice group list`
@CommandLine.Command(name = "list", description = "Show the groups and how far behind they are.")
public final class GroupList implements Command {
    @CommandLine.Option(
            names = "--fast",
            description = "One request only: names and states, no members and no lag.")
    boolean fast;

    @Override
    public ExitCode run(Session session) {
        var groups = new Groups(session.cluster());
        List<GroupListing> found = groups.all();
        session.printer()
                .print(
                        listing(
                                fast
                                        ? found.stream().map(GroupList::row).toList()
                                        : detailed(groups, found)));
        if (found.isEmpty()) {
            session.note("No groups yet. 'sluice tail TOPIC --group NAME' makes one.");
        }
        return ExitCode.OK;
    }

    private static Fields row(GroupListing group) {
        return Fields.of("name", Value.text(group.groupId()))
                .with("state", Groups.state(group.groupState().orElse(GroupState.UNKNOWN)))
                .with(
                        "type",
                        Value.text(
                                group.type()
                                        .map(type -> type.toString().toLowerCase(Locale.ROOT))
                                        .orElse(null)));
    }

    private static List<Fields> detailed(Groups groups, List<GroupListing> found) {
        List<String> consumers =
                found.stream()
                        .filter(GroupList::isConsumerGroup)
                        .map(GroupListing::groupId)
                        .toList();
        Map<String, ConsumerGroupDescription> descriptions = groups.describe(consumers);
        Map<String, Map<TopicPartition, Long>> committed = groups.committed(consumers);
        Map<TopicPartition, Long> ends = new HashMap<>();
        Map<TopicPartition, Long> asked = new HashMap<>();
        committed.values().forEach(asked::putAll);
        Map<TopicPartition, Long> starts = new HashMap<>();
        for (PartitionLag lag : groups.lags(asked)) {
            ends.put(lag.partition(), lag.end());
            starts.put(lag.partition(), lag.start());
        }
        List<Fields> rows = new ArrayList<>();
        for (GroupListing group : found) {
            ConsumerGroupDescription description = descriptions.get(group.groupId());
            rows.add(
                    row(group)
                            .with("members", members(description))
                            .with(
                                    "lagMessages",
                                    lag(committed.get(group.groupId()), starts, ends)));
        }
        return rows;
    }

    private static boolean isConsumerGroup(GroupListing group) {
        GroupType type = group.type().orElse(GroupType.CLASSIC);
        boolean consumerProtocol =
                group.protocol().isEmpty() || group.protocol().equals("consumer");
        return (type == GroupType.CLASSIC || type == GroupType.CONSUMER) && consumerProtocol;
    }

    private static Value members(@Nullable ConsumerGroupDescription description) {
        return description == null ? Value.absent() : Value.count(description.members().size());
    }

    private static Value lag(
            @Nullable Map<TopicPartition, Long> committed,
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends) {
        if (committed == null) {
            return Value.absent();
        }
        long lag = 0;
        for (Map.Entry<TopicPartition, Long> offset : committed.entrySet()) {
            Long end = ends.get(offset.getKey());
            if (end != null) {
                long next = Math.max(offset.getValue(), starts.getOrDefault(offset.getKey(), 0L));
                lag += Math.max(0, end - next);
            }
        }
        return Value.count(lag);
    }

    private Listing listing(List<Fields> rows) {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.of("name", "GROUP"));
        columns.add(Column.of("state", "STATE"));
        columns.add(Column.of("type", "TYPE"));
        if (!fast) {
            columns.add(Column.of("members", "MEMBERS"));
            columns.add(Column.of("lagMessages", "LAG"));
        }
        return Listing.of(columns, rows);
    }
}
