package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayList;
import java.util.List;

/// A controller's ear for in-sync sets that answers when the test does. Owned by its test.
public final class ManualInSync implements InSyncDoor {
    private final List<Asked> asked = new ArrayList<>();

    /// Proposals of this topic meet a bug.
    public String topicWithABug = "";

    /// One proposal, waiting for its answer.
    public record Asked(InSyncProposal proposal, Mailbox home, Reply<Answer> reply) {
        public void accept() {
            answer(
                    new Answer.Accepted(
                            List.copyOf(proposal.inSync().keySet()), proposal.change() + 1));
        }

        public void answer(Answer answer) {
            home.post(() -> reply.complete(answer));
        }

        public void fail() {
            home.post(() -> reply.fail(new IllegalStateException("the connection broke")));
        }
    }

    @Override
    public Reply<Answer> propose(InSyncProposal proposal, Mailbox home) {
        if (proposal.id().topic().equals(topicWithABug)) {
            throw new IllegalStateException("a bug");
        }
        Asked one = new Asked(proposal, home, new Reply<>());
        asked.add(one);
        return one.reply();
    }

    public int count() {
        return asked.size();
    }

    public Asked last() {
        return asked.getLast();
    }
}
