package io.sluice.coordinator.groups;

import io.sluice.coordinator.groups.GroupCommand.Protocol;
import io.sluice.record.Invariant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which protocol a group uses: each member votes for the first on its list that all support. Pure.
final class ProtocolVote {
    private ProtocolVote() {}

    /// The one with the most votes; of equals, the one that was voted for first. Joining keeps the members such that there is one.
    static String winner(Members members) {
        Map<String, Integer> votes = new LinkedHashMap<>();
        for (Member member : members.all()) {
            votes.merge(vote(member, members), 1, Integer::sum);
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

    /// Whether somebody with these protocols could take part, next to everyone but `self`.
    static boolean fits(
            String protocolType,
            List<Protocol> protocols,
            @Nullable String groupType,
            Members members,
            @Nullable Member self) {
        if (protocolType.isEmpty() || protocols.isEmpty()) {
            return false;
        }
        int others = members.size() - (self == null ? 0 : 1);
        if (others == 0) {
            return true;
        }
        if (!protocolType.equals(groupType)) {
            return false;
        }
        for (Protocol protocol : protocols) {
            boolean isOwn = self != null && self.supports(protocol.name());
            if (members.supportersOf(protocol.name()) - (isOwn ? 1 : 0) == others) {
                return true;
            }
        }
        return false;
    }

    private static String vote(Member voter, Members members) {
        for (Protocol protocol : voter.protocols()) {
            if (members.supportersOf(protocol.name()) == members.size()) {
                return protocol.name();
            }
        }
        throw new Invariant.Violation("no protocol in common with " + voter.id());
    }
}
