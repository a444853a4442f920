package io.sluice.node;

import io.sluice.controller.Registration;
import io.sluice.env.Disk;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a broker writes down for its next start: that it has stopped in order, and whether the machine's page cache can be trusted. Read at the start, for the [Registration].
///
/// ```
///   taken ──▶ left: all is on disk      (`clean-stop`)
///         ├─▶ put back: nothing was written
///         └─▶ distrusted: a disk failed (`distrusted-boot`)
/// ```
/// Owned by the controller's mailbox; what is taken is taken before that one has work.
final class StopNotes {
    private static final Logger LOG = LoggerFactory.getLogger(StopNotes.class);

    private final Disk disk;
    private final Workers workers;
    private final Mailbox owner;
    private final @Nullable UUID boot;
    private long takenEpoch = Registration.UNCLEAN;
    private boolean vouches;
    private @Nullable Reply<Boolean> distrust;

    /// @param boot of the machine, null where it is not known
    StopNotes(Disk disk, Workers workers, Mailbox owner, @Nullable UUID boot) {
        this.disk = disk;
        this.workers = workers;
        this.owner = owner;
        this.boot = boot;
    }

    /// In which broker epoch the last run ended in order. Once; may block on the disk.
    long takeCleanStop() {
        takenEpoch = CleanStop.take(disk);
        return takenEpoch;
    }

    /// The machine's run, if it is known and vouches for the page cache. Once; may block on the disk.
    @Nullable UUID takeBoot() {
        UUID found = VouchingBoot.take(disk, boot);
        vouches = found != null;
        return found;
    }

    /// Everything that this run has opened is on disk. Completes with true when that is noted: after a run that has not ended in order only if every log that it left has been opened since, and flushed. What lies in the page cache of one
    /// that nobody has opened would be lost with the next power loss, in spite of the note.
    Reply<Boolean> leave(long epoch, boolean everythingWasOpened) {
        if (takenEpoch == Registration.UNCLEAN && !everythingWasOpened) {
            LOG.warn(
                    "Stopped before all logs of a run that had not ended in order were opened: the next start counts this one as a crash");
            return Reply.of(false);
        }
        return note(epoch);
    }

    private Reply<Boolean> note(long epoch) {
        return workers.call(Workers.Kind.HOUSEKEEPING, owner, () -> CleanStop.leave(disk, epoch));
    }

    /// This run has changed nothing: the next start is to find what this one has found.
    Reply<Boolean> putBack() {
        return takenEpoch == Registration.UNCLEAN ? Reply.of(false) : note(takenEpoch);
    }

    /// A disk has failed. Completes with false, whether or not that could be noted.
    Reply<Boolean> distrustPageCache() {
        Reply<Boolean> present = distrust;
        if (present == null) {
            present = boot == null ? Reply.of(false) : distrust(boot, vouches);
            distrust = present;
        }
        return present;
    }

    private Reply<Boolean> distrust(UUID run, boolean noted) {
        Reply<Boolean> done = new Reply<>();
        workers.call(Workers.Kind.FLUSH, owner, () -> VouchingBoot.distrust(disk, run, noted))
                .then(
                        _ -> done.complete(false),
                        failure -> {
                            LOG.error(
                                    "Could not note that the page cache is not to be trusted; restart the machine before this broker",
                                    failure);
                            done.complete(false);
                        });
        return done;
    }
}
