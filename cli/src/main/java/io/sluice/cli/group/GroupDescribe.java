package io.sluice.cli.group;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.HumanText;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine;

/// `sluice group describe`
@CommandLine.Command(
        name = "describe",
        description = "Show one group's lag, in messages and in time, and its members.")
public final class GroupDescribe implements Command {
    @CommandLine.Parameters(paramLabel = "GROUP", description = "Its name.")
    String name = "";

    @Override
    public ExitCode run(Session session) {
        var groups = new Groups(session.cluster());
        ConsumerGroupDescription group = groups.require(name);
        List<PartitionLag> lags =
                groups.withAges(groups.lags(groups.committed(name)), session.now());
        Fields fields =
                Fields.of("name", Value.text(name))
                        .with("state", Groups.state(group.groupState()))
                        .with("type", Value.text(group.type().toString().toLowerCase(Locale.ROOT)))
                        .with("assignor", assignor(group))
                        .with("coordinator", coordinator(group))
                        .with(
                                "lagMessages",
                                Value.count(lags.stream().mapToLong(PartitionLag::messages).sum()))
                        .with("lagSeconds", oldest(lags));
        session.printer()
                .print(
                        Details.of(
                                        name,
                                        List.of(
                                                Column.of("name", "Group"),
                                                Column.of("state", "State"),
                                                Column.of("type", "Type"),
                                                Column.of("assignor", "Assignor"),
                                                Column.of("coordinator", "Coordinator"),
                                                Column.of("lagMessages", "Lag"),
                                                Column.of("lagSeconds", "Behind by")),
                                        fields)
                                .with("partitions", "", partitions(lags, group))
                                .with("members", "Members", members(group)));
        warnOfMissed(session, lags);
        return ExitCode.OK;
    }

    private static Value assignor(ConsumerGroupDescription group) {
        String assignor = group.partitionAssignor();
        return assignor == null || assignor.isEmpty() ? Value.absent() : Value.text(assignor);
    }

    private static Value coordinator(ConsumerGroupDescription group) {
        return group.coordinator() == null
                ? Value.absent()
                : Value.text(
                        "%d (%s:%d)"
                                .formatted(
                                        group.coordinator().id(),
                                        group.coordinator().host(),
                                        group.coordinator().port()));
    }

    /// The group is as late as its latest partition.
    private static Value oldest(List<PartitionLag> lags) {
        Optional<Duration> oldest =
                lags.stream().flatMap(lag -> lag.age().stream()).max(Comparator.naturalOrder());
        return oldest.map(Value::span).orElse(Value.absent());
    }

    private static Listing partitions(List<PartitionLag> lags, ConsumerGroupDescription group) {
        Map<TopicPartition, MemberDescription> owners = new HashMap<>();
        for (MemberDescription member : group.members()) {
            member.assignment()
                    .topicPartitions()
                    .forEach(partition -> owners.put(partition, member));
        }
        List<Fields> rows = new ArrayList<>();
        for (PartitionLag lag : lags) {
            MemberDescription owner = owners.get(lag.partition());
            rows.add(
                    lag.fields()
                            .with(
                                    "member",
                                    owner == null ? Value.absent() : Value.text(owner.consumerId()))
                            .with(
                                    "host",
                                    owner == null ? Value.absent() : Value.text(owner.host())));
        }
        return new Listing(
                "topic",
                List.of(
                        Column.of("topic", "TOPIC"),
                        Column.of("partition", "PARTITION"),
                        Column.of("committedOffset", "COMMITTED"),
                        Column.of("nextOffset", "END"),
                        Column.of("lagMessages", "LAG"),
                        Column.of("lagSeconds", "BEHIND BY"),
                        Column.of("member", "MEMBER")),
                rows);
    }

    private static Listing members(ConsumerGroupDescription group) {
        List<Fields> rows =
                group.members().stream()
                        .sorted(Comparator.comparing(MemberDescription::consumerId))
                        .map(GroupDescribe::member)
                        .toList();
        return Listing.of(
                List.of(
                        Column.of("id", "MEMBER"),
                        Column.of("clientId", "CLIENT"),
                        Column.of("host", "HOST"),
                        Column.of("partitionCount", "PARTITIONS")),
                rows);
    }

    private static Fields member(MemberDescription member) {
        List<String> assigned =
                member.assignment().topicPartitions().stream()
                        .map(TopicPartition::toString)
                        .sorted()
                        .toList();
        return Fields.of("id", Value.text(member.consumerId()))
                .with("instanceId", Value.text(member.groupInstanceId().orElse(null)))
                .with("clientId", Value.text(member.clientId()))
                .with("host", Value.text(member.host()))
                .with("partitionCount", Value.count(assigned.size()))
                .with("partitions", Value.texts(assigned));
    }

    private void warnOfMissed(Session session, List<PartitionLag> lags) {
        long missed = lags.stream().mapToLong(PartitionLag::missed).sum();
        if (missed > 0) {
            session.note(
                    "Retention deleted %s messages before '%s' read them. Give the topic more retention.ms, or the group more members."
                            .formatted(HumanText.grouped(missed), name));
        }
    }
}
