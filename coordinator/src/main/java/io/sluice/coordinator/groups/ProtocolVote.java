package io.sluice.coordinator.groups;

import io.sluice.coordinator.groups.GroupCommand.Protocol;
import io.sluice.record.Invariant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which protocol a group uses: each member votes for the first on its list that all support. Pure.
final class ProtocolVote {
    private ProtocolVote() {}

    /// The one with the most votes; of equals, the one that was voted for first. Joining keeps the members such that there is one.
    static String winner(Members members) {
        Map<String, Integer> supporters = new HashMap<>();
        for (Member member : members.all()) {
            for (String name : namesOf(member)) {
                supporters.merge(name, 1, Integer::sum);
            }
        }
        Map<String, Integer> votes = new LinkedHashMap<>();
        for (Member member : members.all()) {
            votes.merge(vote(member, supporters, members.size()), 1, Integer::sum);
        }
        String winner = "";
        int most = 0;
        for (Map.Entry<String, Integer> entry : votes.entrySet()) {
            if (entry.getValue() > most) {
                winner = entry.getKey();
                most = entry.getValue();
            }
        }
        return winner;
    }

    /// Whether somebody with these protocols could take part, next to everyone but `exceptId`.
    static boolean fits(
            String protocolType, List<Protocol> protocols, Members members, String exceptId) {
        if (protocolType.isEmpty() || protocols.isEmpty()) {
            return false;
        }
        List<Member> others = members.where(member -> !member.id().equals(exceptId));
        if (others.isEmpty()) {
            return true;
        }
        if (!others.getFirst().protocolType().equals(protocolType)) {
            return false;
        }
        for (Protocol protocol : protocols) {
            if (others.stream().allMatch(other -> other.supports(protocol.name()))) {
                return true;
            }
        }
        return false;
    }

    private static String vote(Member voter, Map<String, Integer> supporters, int everyone) {
        for (String name : namesOf(voter)) {
            if (supporters.getOrDefault(name, 0) == everyone) {
                return name;
            }
        }
        throw new Invariant.Violation("no protocol in common with " + voter.id());
    }

    /// Each name once, whatever a client sends.
    private static Set<String> namesOf(Member member) {
        Set<String> names = new LinkedHashSet<>();
        for (Protocol protocol : member.protocols()) {
            names.add(protocol.name());
        }
        return names;
    }
}
