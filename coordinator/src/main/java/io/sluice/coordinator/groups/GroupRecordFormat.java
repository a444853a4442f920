package io.sluice.coordinator.groups;

import io.sluice.coordinator.ChangeFormat;
import io.sluice.coordinator.groups.Generation.GenerationMember;
import io.sluice.coordinator.groups.GroupChange.GenerationRecorded;
import io.sluice.coordinator.groups.GroupChange.GroupForgotten;
import io.sluice.coordinator.groups.GroupChange.OffsetCommitted;
import io.sluice.coordinator.groups.GroupChange.OffsetForgotten;
import io.sluice.coordinator.groups.GroupCommand.Client;
import io.sluice.coordinator.groups.GroupCommand.Timeouts;
import io.sluice.record.LogRecord;
import io.sluice.record.PartitionId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The records of `__consumer_offsets`: Kafka's own format, so that its tools read them. See `docs/formats/group-records.md`. Pure.
///
/// | key                                                     | value                                                     |
/// |---------------------------------------------------------|-----------------------------------------------------------|
/// | int16 1 (or 0), group, topic, int32 partition           | int16 version, offset, [epoch], metadata, commit time, … |
/// | int16 2, group                                          | int16 version, protocol type, generation, protocol, …   |
///
/// Written: offsets as version 3, as 4 when the topic's id is known, as 1 when they have an expiry of their own; generations
/// as 3. Read: all from 0 to 4. A null value forgets. Keys of other kinds belong to protocols that are not served here, and are passed over.
public final class GroupRecordFormat implements ChangeFormat<GroupChange> {
    private static final int OFFSET_KEY_LEGACY = 0;
    private static final int OFFSET_KEY = 1;
    private static final int GROUP_KEY = 2;
    private static final int NEWEST_VALUE = 4;
    private static final int GROUP_VALUE = 3;

    @Override
    public @Nullable LogRecord encode(GroupChange change, long wallMillis) {
        return switch (change) {
            case OffsetCommitted(String group, PartitionId partition, CommittedOffset committed) ->
                    LogRecord.of(wallMillis, key(group, partition), value(committed));
            case OffsetForgotten(String group, PartitionId partition) ->
                    LogRecord.of(wallMillis, key(group, partition), (ByteBuffer) null);
            case GenerationRecorded(String group, Generation generation) ->
                    LogRecord.of(wallMillis, key(group), value(generation));
            case GroupForgotten(String group) ->
                    LogRecord.of(wallMillis, key(group), (ByteBuffer) null);
            case GroupChange.Remembered _ -> null;
        };
    }

    @Override
    public @Nullable GroupChange decode(LogRecord record) {
        ByteBuffer keyBytes = record.key();
        if (keyBytes == null) {
            throw new MalformedChange("a record without a key");
        }
        FieldReader key = new FieldReader(keyBytes);
        ByteBuffer value = record.value();
        return switch (key.int16()) {
            case OFFSET_KEY_LEGACY, OFFSET_KEY -> {
                String group = key.string();
                PartitionId partition = new PartitionId(key.string(), key.int32());
                yield value == null
                        ? new OffsetForgotten(group, partition)
                        : new OffsetCommitted(group, partition, committed(new FieldReader(value)));
            }
            case GROUP_KEY -> {
                String group = key.string();
                yield value == null
                        ? new GroupForgotten(group)
                        : new GenerationRecorded(group, generation(new FieldReader(value)));
            }
            default -> null;
        };
    }

    private static ByteBuffer key(String group, PartitionId partition) {
        return new FieldWriter()
                .int16(OFFSET_KEY)
                .string(group)
                .string(partition.topic())
                .int32(partition.index())
                .finish();
    }

    private static ByteBuffer key(String group) {
        return new FieldWriter().int16(GROUP_KEY).string(group).finish();
    }

    private static ByteBuffer value(CommittedOffset committed) {
        FieldWriter out = new FieldWriter();
        UUID topicId = committed.topicId();
        if (committed.expiresAtMillis() != CommittedOffset.NEVER) {
            return out.int16(1)
                    .int64(committed.offset())
                    .string(committed.metadata())
                    .int64(committed.committedAtMillis())
                    .int64(committed.expiresAtMillis())
                    .finish();
        }
        if (topicId == null) {
            return out.int16(3)
                    .int64(committed.offset())
                    .int32(committed.leaderEpoch())
                    .string(committed.metadata())
                    .int64(committed.committedAtMillis())
                    .finish();
        }
        return out.int16(4)
                .int64(committed.offset())
                .int32(committed.leaderEpoch())
                .compactString(committed.metadata())
                .int64(committed.committedAtMillis())
                .unsignedVarint(1)
                .unsignedVarint(0)
                .unsignedVarint(16)
                .int64(topicId.getMostSignificantBits())
                .int64(topicId.getLeastSignificantBits())
                .finish();
    }

    private static CommittedOffset committed(FieldReader in) {
        int version = version(in);
        long offset = in.int64();
        int leaderEpoch = version >= 3 ? in.int32() : -1;
        String metadata = in.string();
        long committedAt = in.int64();
        long expiresAt = version == 1 ? in.int64() : CommittedOffset.NEVER;
        return new CommittedOffset(
                offset, leaderEpoch, metadata, committedAt, expiresAt, in.taggedUuid());
    }

    private static ByteBuffer value(Generation generation) {
        String type = generation.protocolType();
        FieldWriter out =
                new FieldWriter()
                        .int16(GROUP_VALUE)
                        .string(type == null ? "" : type)
                        .int32(generation.number())
                        .string(generation.protocol())
                        .string(generation.leader())
                        .int64(generation.sinceMillis())
                        .int32(generation.members().size());
        for (GenerationMember member : generation.members()) {
            out.string(member.id())
                    .string(member.instanceId())
                    .string(member.client().id())
                    .string(member.client().host())
                    .int32(member.timeouts().rebalanceMillis())
                    .int32(member.timeouts().sessionMillis())
                    .blob(member.subscription())
                    .blob(member.assignment());
        }
        return out.finish();
    }

    private static Generation generation(FieldReader in) {
        int version = version(in);
        String type = in.string();
        int number = in.int32();
        String protocol = in.nullableString();
        String leader = in.nullableString();
        long since = version >= 2 ? in.int64() : -1;
        int count = in.arraySize();
        List<GenerationMember> members = new ArrayList<>(count);
        boolean isAssigned = false;
        for (int i = 0; i < count; i++) {
            GenerationMember member = member(in, version);
            isAssigned |= !member.assignment().isEmpty();
            members.add(member);
        }
        in.skipTags();
        return new Generation(
                number, type.isEmpty() ? null : type, protocol, leader, since, members, isAssigned);
    }

    private static GenerationMember member(FieldReader in, int version) {
        String id = in.string();
        String instanceId = version >= 3 ? in.nullableString() : null;
        Client client = new Client(in.string(), in.string());
        int rebalance = version >= 1 ? in.int32() : -1;
        int session = in.int32();
        Blob subscription = in.blob();
        Blob assignment = in.blob();
        in.skipTags();
        Timeouts timeouts = new Timeouts(session, rebalance < 0 ? session : rebalance);
        return new GenerationMember(id, instanceId, client, timeouts, subscription, assignment);
    }

    private static int version(FieldReader in) {
        int version = in.int16();
        if (version < 0 || version > NEWEST_VALUE) {
            throw new MalformedChange("a value of version " + version);
        }
        if (version == NEWEST_VALUE) {
            in.becomeFlexible();
        }
        return version;
    }
}
