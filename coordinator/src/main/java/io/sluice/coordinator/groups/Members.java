package io.sluice.coordinator.groups;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The members of a group in the order in which they came. Immutable.
///
/// Sums over all members are kept along, so that the joins of a group of thousands cost one copy of the map each, and no more.
final class Members {
    static final Members NONE = new Members(new LinkedHashMap<>(), Sums.NONE);

    private final SequencedMap<String, Member> byId;
    private final Sums sums;

    /// @param supporters how many members support each protocol
    private record Sums(int joined, long metadataBytes, Map<String, Integer> supporters) {
        static final Sums NONE = new Sums(0, 0, Map.of());

        Sums plus(Member member, int sign) {
            Map<String, Integer> counts = new HashMap<>(supporters);
            for (String name : member.protocolNames()) {
                counts.merge(name, sign, Integer::sum);
                counts.remove(name, 0);
            }
            return new Sums(
                    joined + (member.hasJoined() ? sign : 0),
                    metadataBytes + sign * member.metadataBytes(),
                    counts);
        }
    }

    private Members(SequencedMap<String, Member> byId, Sums sums) {
        this.byId = byId;
        this.sums = sums;
    }

    static Members restored(Generation generation) {
        LinkedHashMap<String, Member> restored = new LinkedHashMap<>();
        for (Generation.GenerationMember member : generation.members()) {
            restored.put(member.id(), Member.restored(member, generation));
        }
        return summedUp(restored);
    }

    private static Members summedUp(SequencedMap<String, Member> byId) {
        int joined = 0;
        long bytes = 0;
        Map<String, Integer> supporters = new HashMap<>();
        for (Member member : byId.values()) {
            joined += member.hasJoined() ? 1 : 0;
            bytes += member.metadataBytes();
            for (String name : member.protocolNames()) {
                supporters.merge(name, 1, Integer::sum);
            }
        }
        return new Members(byId, new Sums(joined, bytes, supporters));
    }

    int size() {
        return byId.size();
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    Collection<Member> all() {
        return byId.values();
    }

    Set<String> ids() {
        return byId.keySet();
    }

    boolean contains(String id) {
        return byId.containsKey(id);
    }

    @Nullable Member find(String id) {
        return byId.get(id);
    }

    @Nullable Member findByInstance(String instanceId) {
        for (Member member : byId.values()) {
            if (instanceId.equals(member.instanceId())) {
                return member;
            }
        }
        return null;
    }

    List<Member> where(Predicate<Member> condition) {
        List<Member> found = new ArrayList<>();
        for (Member member : byId.values()) {
            if (condition.test(member)) {
                found.add(member);
            }
        }
        return found;
    }

    /// How many have joined the round that is open.
    int joinedCount() {
        return sums.joined();
    }

    long metadataBytes() {
        return sums.metadataBytes();
    }

    int supportersOf(String protocol) {
        return sums.supporters().getOrDefault(protocol, 0);
    }

    /// Adds the member, or puts it in its own old place.
    Members with(Member member) {
        LinkedHashMap<String, Member> next = new LinkedHashMap<>(byId);
        Member old = next.put(member.id(), member);
        Sums others = old == null ? sums : sums.plus(old, -1);
        return new Members(next, others.plus(member, 1));
    }

    Members without(Set<String> ids) {
        LinkedHashMap<String, Member> next = new LinkedHashMap<>(byId);
        next.keySet().removeAll(ids);
        return summedUp(next);
    }

    /// The new one takes the old one's place.
    Members replacing(String oldId, Member replacement) {
        LinkedHashMap<String, Member> next = new LinkedHashMap<>();
        for (Member member : byId.values()) {
            Member kept = member.id().equals(oldId) ? replacement : member;
            next.put(kept.id(), kept);
        }
        return summedUp(next);
    }

    Members map(UnaryOperator<Member> change) {
        LinkedHashMap<String, Member> next = new LinkedHashMap<>();
        for (Member member : byId.values()) {
            next.put(member.id(), change.apply(member));
        }
        return summedUp(next);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Members members
                && List.copyOf(byId.values()).equals(List.copyOf(members.byId.values()));
    }

    @Override
    public int hashCode() {
        return byId.hashCode();
    }
}
