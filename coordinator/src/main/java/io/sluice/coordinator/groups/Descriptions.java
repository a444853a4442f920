package io.sluice.coordinator.groups;

import io.sluice.coordinator.groups.Generation.GenerationMember;
import io.sluice.coordinator.groups.GroupReply.DescribedMember;
import io.sluice.coordinator.groups.GroupReply.Description;
import io.sluice.coordinator.groups.GroupReply.ListedGroup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// DescribeGroups and ListGroups: what an operator may see. Pure.
final class Descriptions {
    private Descriptions() {}

    static Description of(Group group) {
        boolean isStable = group.phase() == GroupPhase.STABLE;
        Map<String, GenerationMember> assigned = new HashMap<>();
        if (isStable) {
            group.generation().members().forEach(member -> assigned.put(member.id(), member));
        }
        List<DescribedMember> members = new ArrayList<>();
        for (Member member : group.members().all()) {
            GenerationMember recorded = assigned.get(member.id());
            members.add(
                    new DescribedMember(
                            member.id(),
                            member.instanceId(),
                            member.client(),
                            recorded == null ? Blob.EMPTY : recorded.subscription(),
                            recorded == null ? Blob.EMPTY : recorded.assignment()));
        }
        return new Description(
                group.id(),
                group.phase(),
                textOf(group.protocolType()),
                isStable ? textOf(group.generation().protocol()) : "",
                members);
    }

    static GroupReply.Listing list(Map<String, GroupTable.Entry> entries, Set<String> phases) {
        List<ListedGroup> listed = new ArrayList<>();
        for (GroupTable.Entry entry : entries.values()) {
            Group group = entry.group();
            String label = group.phase().label().toLowerCase(Locale.ROOT);
            if (phases.isEmpty() || phases.contains(label)) {
                listed.add(
                        new ListedGroup(group.id(), textOf(group.protocolType()), group.phase()));
            }
        }
        return new GroupReply.Listing(listed);
    }

    private static String textOf(@Nullable String text) {
        return text == null ? "" : text;
    }
}
