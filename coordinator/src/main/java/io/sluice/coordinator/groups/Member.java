package io.sluice.coordinator.groups;

import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.Generation.GenerationMember;
import io.sluice.coordinator.groups.GroupCommand.Client;
import io.sluice.coordinator.groups.GroupCommand.Protocol;
import io.sluice.coordinator.groups.GroupCommand.Timeouts;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A member as memory knows it: what it can, and what it waits for. Immutable.
///
/// @param instanceId of a static member, which keeps its place through a restart (KIP-345); null for a dynamic one
/// @param protocols in the member's order of preference
/// @param isNew has not been part of a generation yet
/// @param join waits for the round of joining to end; null when it has not joined it
/// @param sync waits for the leader's plan
record Member(
        String id,
        @Nullable String instanceId,
        Client client,
        Timeouts timeouts,
        String protocolType,
        List<Protocol> protocols,
        boolean isNew,
        @Nullable Ticket join,
        @Nullable Ticket sync) {

    /// One that has just joined.
    static Member of(GroupCommand.Join join, String id, Ticket ticket) {
        return new Member(
                id,
                join.instanceId(),
                join.client(),
                join.timeouts(),
                join.protocolType(),
                join.protocols(),
                true,
                ticket,
                null);
    }

    /// Joins again, perhaps with other protocols.
    Member rejoining(GroupCommand.Join join, Ticket ticket) {
        return new Member(
                id,
                instanceId,
                join.client(),
                join.timeouts(),
                join.protocolType(),
                join.protocols(),
                isNew,
                ticket,
                sync);
    }

    /// The same instance under another id, its join waiting.
    Member returning(GroupCommand.Join join, String newId, Ticket ticket) {
        return new Member(
                newId,
                instanceId,
                join.client(),
                join.timeouts(),
                join.protocolType(),
                join.protocols(),
                isNew,
                ticket,
                null);
    }

    /// As it is after a restart: of its protocols only the one that was chosen is known.
    static Member restored(GenerationMember member, Generation generation) {
        String type = generation.protocolType();
        String protocol = generation.protocol();
        return new Member(
                member.id(),
                member.instanceId(),
                member.client(),
                member.timeouts(),
                type == null ? "" : type,
                List.of(new Protocol(protocol == null ? "" : protocol, member.subscription())),
                false,
                null,
                null);
    }

    boolean isStatic() {
        return instanceId != null;
    }

    boolean hasJoined() {
        return join != null;
    }

    /// One who waits for us cannot be late.
    boolean isWaiting() {
        return join != null || sync != null;
    }

    /// Each name once, whatever a client sends.
    Set<String> protocolNames() {
        Set<String> names = new LinkedHashSet<>();
        for (Protocol one : protocols) {
            names.add(one.name());
        }
        return names;
    }

    boolean supports(String protocol) {
        for (Protocol one : protocols) {
            if (one.name().equals(protocol)) {
                return true;
            }
        }
        return false;
    }

    Blob metadata(@Nullable String protocol) {
        for (Protocol one : protocols) {
            if (one.name().equals(protocol)) {
                return one.metadata();
            }
        }
        return Blob.EMPTY;
    }

    long metadataBytes() {
        return bytesOf(protocols);
    }

    static long bytesOf(List<Protocol> protocols) {
        long total = 0;
        for (Protocol one : protocols) {
            total += one.metadata().size();
        }
        return total;
    }

    /// Part of a generation, its join answered.
    Member settled() {
        return new Member(
                id, instanceId, client, timeouts, protocolType, protocols, false, null, sync);
    }

    Member waitingForSync(@Nullable Ticket ticket) {
        return new Member(
                id, instanceId, client, timeouts, protocolType, protocols, isNew, join, ticket);
    }

    GenerationMember recorded(String protocol, Blob assignment) {
        return new GenerationMember(
                id, instanceId, client, timeouts, metadata(protocol), assignment);
    }
}
