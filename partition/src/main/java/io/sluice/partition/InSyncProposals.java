package io.sluice.partition;

import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes a leader's wishes for its in-sync set to the controller, one at a time, until they are answered. Owned by its shard.
final class InSyncProposals {
    private static final Logger LOG = LoggerFactory.getLogger(InSyncProposals.class);
    private static final Duration PAUSE = Duration.ofNanos(LeaderRole.PROPOSAL_PAUSE_NANOS);

    private final OpenPartition open;
    private final Leadership leadership;
    private final LeaderRole role;
    private final Mailbox owner;
    private boolean retryDue;

    InSyncProposals(OpenPartition open, Leadership leadership) {
        this.open = open;
        this.leadership = leadership;
        this.role = leadership.role();
        this.owner = open.owner();
    }

    /// Proposes another set if there is a better one and none is asked for.
    ///
    /// @param mayShrink whether followers that fell behind are taken out
    void make(boolean mayShrink) {
        if (leadership.isEnded()) {
            return;
        }
        SortedMap<Integer, Long> wanted = role.propose(mayShrink, leadership.nanos());
        if (wanted == null) {
            return;
        }
        LOG.info("{}: in sync {}, should be {}", open.id(), role.inSync(), wanted.keySet());
        InSyncProposal proposal =
                new InSyncProposal(
                        open.id(),
                        open.host().topicId(),
                        role.leaderEpoch(),
                        role.inSync().change(),
                        wanted);
        open.doors()
                .replication()
                .inSync()
                .propose(proposal, owner)
                .then(answer -> answered(proposal, answer), failure -> unknown(proposal, failure));
    }

    private void answered(InSyncProposal proposal, InSyncDoor.Answer answer) {
        if (leadership.isEnded()) {
            return;
        }
        switch (answer) {
            case InSyncDoor.Answer.Accepted(var members, int change) -> {
                count(proposal, role.inSync());
                role.accepted(proposal.change(), members, change);
                open.host().inSyncChanged(role.inSync());
            }
            case InSyncDoor.Answer.Refused(String sentence, boolean retry) -> {
                LOG.info("{}: the in-sync set stays: {}", open.id(), sentence);
                role.refused(proposal.change(), leadership.nanos());
                if (retry) {
                    tryAgain();
                }
            }
            case InSyncDoor.Answer.Outdated(String sentence) -> {
                LOG.info("{}: the in-sync set is another one by now: {}", open.id(), sentence);
                role.unknown(proposal.change(), leadership.nanos());
            }
        }
        leadership.moved();
    }

    private void count(InSyncProposal accepted, InSyncSet before) {
        ShardCounters counters = open.doors().counters();
        if (!before.members().containsAll(accepted.inSync().keySet())) {
            counters.inSyncExpansions.increment();
        }
        if (!accepted.inSync().keySet().containsAll(before.members())) {
            counters.inSyncShrinks.increment();
        }
    }

    private void unknown(InSyncProposal proposal, Throwable failure) {
        if (leadership.isEnded()) {
            return;
        }
        LOG.warn(
                "{}: not known whether its in-sync set was changed: {}",
                open.id(),
                String.valueOf(failure.getMessage()));
        role.unknown(proposal.change(), leadership.nanos());
        tryAgain();
    }

    private void tryAgain() {
        if (!retryDue) {
            retryDue = true;
            owner.schedule(
                    PAUSE,
                    () -> {
                        retryDue = false;
                        make(true);
                    });
        }
    }
}
