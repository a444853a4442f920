package io.sluice.simulation;

import io.sluice.env.Mailbox;
import io.sluice.env.MailboxContract;
import java.time.Duration;
import java.util.List;

class SimMailboxTest extends MailboxContract {
    private final SimWorld world = new SimWorld(1);

    @Override
    protected Mailbox mailbox(List<Throwable> bugs) {
        return new SimMailbox(world, new SimProcess("test"), "mailbox", bugs::add);
    }

    @Override
    protected void pass(Mailbox mailbox, Duration time) {
        world.runFor(time);
    }

    @Override
    protected void close(Mailbox mailbox) {}
}
