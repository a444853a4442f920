package io.sluice.coordinator.groups;

import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import org.jspecify.annotations.Nullable;

/// Whether one who speaks as a member is one: the fence around a generation. Pure.
final class MemberCheck {
    /// A text in a record has at most 32,767 bytes of UTF-8, and a member id is made of another id and a UUID.
    private static final int NAME_LENGTH_MAX = 8_192;

    private MemberCheck() {}

    static boolean isTooLong(String name) {
        return name.length() > NAME_LENGTH_MAX;
    }

    /// Null when the id is a member's, and the instance's if it names one (KIP-345).
    static @Nullable Rejection identity(Group group, String memberId, @Nullable String instanceId) {
        if (instanceId == null) {
            return group.members().contains(memberId) ? null : Rejection.UNKNOWN_MEMBER;
        }
        Member holder = group.members().findByInstance(instanceId);
        if (holder == null) {
            return Rejection.UNKNOWN_MEMBER;
        }
        return holder.id().equals(memberId) ? null : Rejection.FENCED_INSTANCE;
    }

    static @Nullable Rejection membership(Group group, MemberRef ref) {
        Rejection why = identity(group, ref.memberId(), ref.instanceId());
        if (why == null && ref.generation() != group.generation().number()) {
            return Rejection.ILLEGAL_GENERATION;
        }
        return why;
    }
}
