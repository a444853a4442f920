package io.sluice.log;

import io.sluice.env.DiskException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Flushes of several logs as one piece of work: all bytes, then all names, a shared parent directory only once.
///
/// File systems with a journal make the first force of a round carry the others, so many small partitions cost little more than one. Run by
/// one worker; each flush succeeds or fails by itself.
public final class FlushRound {
    private final List<Flush> flushes;
    private final List<@Nullable DiskException> failures = new ArrayList<>();

    public FlushRound(List<Flush> flushes) {
        this.flushes = List.copyOf(flushes);
        for (int i = 0; i < flushes.size(); i++) {
            failures.add(null);
        }
    }

    /// On a worker. Never throws for a disk: ask [#failure] for each flush.
    public void run() {
        forEach(Flush::forceFiles);
        forEach(Flush::syncFolder);
        Map<String, Step> parents = new HashMap<>();
        forEach(
                flush -> {
                    if (flush.needsParent()) {
                        parents.computeIfAbsent(flush.folder().parent(), _ -> new Step())
                                .once(flush.folder()::syncParent);
                    }
                });
        forEach(Flush::writeSidecars);
    }

    /// Why this flush of the round failed, or null when everything it captured is durable.
    public @Nullable DiskException failure(int number) {
        return failures.get(number);
    }

    public List<Flush> flushes() {
        return flushes;
    }

    /// Each one that has not failed yet.
    private void forEach(java.util.function.Consumer<Flush> step) {
        for (int i = 0; i < flushes.size(); i++) {
            if (failures.get(i) == null) {
                try {
                    step.accept(flushes.get(i));
                } catch (DiskException e) {
                    failures.set(i, e);
                }
            }
        }
    }

    /// Done once for all who need it; fails for all of them.
    private static final class Step {
        private boolean done;
        private @Nullable DiskException failure;

        void once(Runnable work) {
            if (!done) {
                done = true;
                try {
                    work.run();
                } catch (DiskException e) {
                    failure = e;
                }
            }
            if (failure != null) {
                throw failure;
            }
        }
    }
}
