package io.sluice.coordinator.groups;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The members of a group in the order in which they came. Immutable.
final class Members {
    static final Members NONE = new Members(new LinkedHashMap<>());

    private final SequencedMap<String, Member> byId;

    private Members(SequencedMap<String, Member> byId) {
        this.byId = byId;
    }

    static Members restored(Generation generation) {
        LinkedHashMap<String, Member> restored = new LinkedHashMap<>();
        for (Generation.GenerationMember member : generation.members()) {
            restored.put(member.id(), Member.restored(member, generation));
        }
        return new Members(restored);
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

    int count(Predicate<Member> condition) {
        int count = 0;
        for (Member member : byId.values()) {
            if (condition.test(member)) {
                count++;
            }
        }
        return count;
    }

    long metadataBytes() {
        long total = 0;
        for (Member member : byId.values()) {
            total += member.metadataBytes();
        }
        return total;
    }

    /// Adds the member, or puts it in its own old place.
    Members with(Member member) {
        LinkedHashMap<String, Member> next = new LinkedHashMap<>(byId);
        next.put(member.id(), member);
        return new Members(next);
    }

    Members without(Set<String> ids) {
        LinkedHashMap<String, Member> next = new LinkedHashMap<>(byId);
        next.keySet().removeAll(ids);
        return new Members(next);
    }

    /// The new one takes the old one's place.
    Members replacing(String oldId, Member replacement) {
        LinkedHashMap<String, Member> next = new LinkedHashMap<>();
        for (Member member : byId.values()) {
            Member kept = member.id().equals(oldId) ? replacement : member;
            next.put(kept.id(), kept);
        }
        return new Members(next);
    }

    Members map(UnaryOperator<Member> change) {
        LinkedHashMap<String, Member> next = new LinkedHashMap<>();
        for (Member member : byId.values()) {
            next.put(member.id(), change.apply(member));
        }
        return new Members(next);
    }
}
