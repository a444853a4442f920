package io.sluice.env.os;

import io.sluice.env.Coordination;
import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The metadata store of a single node: a tree in memory, made durable in one file before any commit is answered.
///
/// Everything happens on the store's own mailbox, which may block on the disk and must serve nobody else. Commits that arrive while
/// the disk is busy are written and forced together. A commit fails with [DiskException] FULL while there is no room, and works again
/// afterwards; after any other disk error nothing is known about the file, so that all further commits fail until the store is opened again.
///
/// The session is the life of this object: what was created for it is gone when the store is opened again.
///
/// Thread-safe: callers only post.
public final class LocalCoordination implements Coordination, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalCoordination.class);

    private static final int ROLL_BYTES = 1 << 20;

    private final Mailbox own;
    private final VersionedTree tree;
    private final TreeFile file;
    private final List<Waiting> waiting = new ArrayList<>();
    private @Nullable DiskException broken;
    private @Nullable Watching watching;

    private LocalCoordination(Mailbox own, VersionedTree tree, TreeFile file) {
        this.own = own;
        this.tree = tree;
        this.file = file;
    }

    /// Recovers what the directory holds; blocks meanwhile. Throws [DamagedMetadata] when something that was durable is unreadable.
    public static LocalCoordination open(Disk disk, String directory, Mailbox own) {
        return open(disk, directory, own, ROLL_BYTES);
    }

    /// With another size at which a new snapshot is written: small ones let tests see many.
    public static LocalCoordination open(Disk disk, String directory, Mailbox own, int rollBytes) {
        VersionedTree tree = new VersionedTree();
        TreeFile file = TreeFile.open(disk, directory, rollBytes, tree);
        return new LocalCoordination(own, tree, file);
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        Reply<SortedMap<String, Node>> reply = new Reply<>();
        own.post(
                () -> {
                    SortedMap<String, Node> found = tree.copyBelow(path);
                    answer(home, () -> reply.complete(found));
                });
        return reply;
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
        Reply<Outcome> reply = new Reply<>();
        Waiting commit = new Waiting(home, List.copyOf(changes), reply);
        own.post(() -> accept(commit));
        return reply;
    }

    private void accept(Waiting commit) {
        waiting.add(commit);
        if (waiting.size() == 1) {
            // Behind all that has arrived by now: they share one force.
            own.post(this::writeGroup);
        }
    }

    private void writeGroup() {
        List<Waiting> group = List.copyOf(waiting);
        waiting.clear();
        List<Outcome> outcomes = new ArrayList<>(group.size());
        try {
            requireUsable();
            for (Waiting commit : group) {
                outcomes.add(tree.stage(commit.changes(), file.nextNumber()));
            }
            if (tree.hasStaged()) {
                // Also when nothing of it lasts: the number, by which one creation is told from
                // another, is then used up.
                file.append(tree.durable());
                tree.settle(this::tell);
            }
        } catch (DiskException e) {
            tree.dropStaged();
            noteFailure(e);
            group.forEach(commit -> answer(commit.home(), () -> commit.reply().fail(e)));
            return;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            Waiting commit = group.get(i);
            Outcome outcome = outcomes.get(i);
            answer(commit.home(), () -> commit.reply().complete(outcome));
        }
        rollWhenLarge();
    }

    @Override
    public void watch(Mailbox home, Watcher watcher) {
        own.post(
                () -> {
                    watching = new Watching(home, watcher);
                    SortedMap<String, Node> all = tree.copyBelow("");
                    answer(home, () -> watcher.loaded(all));
                });
    }

    private void tell(String path, @Nullable Node node) {
        Watching told = watching;
        if (told != null) {
            answer(told.home(), () -> told.watcher().changed(path, node));
        }
    }

    private void requireUsable() {
        DiskException cause = broken;
        if (cause != null) {
            throw new DiskException(
                    Kind.IO,
                    cause.path(),
                    "The metadata store takes no changes since its disk failed. Restart the broker when"
                            + " the disk is sound. What happened: "
                            + cause.getMessage(),
                    cause);
        }
    }

    private void noteFailure(DiskException failure) {
        if (failure.kind() == Kind.FULL) {
            LOG.warn("The metadata store has no room: {}", failure.getMessage());
        } else if (broken == null) {
            broken = failure;
            LOG.error("The metadata store stops taking changes", failure);
        }
    }

    private void rollWhenLarge() {
        if (!file.wantsSnapshot()) {
            return;
        }
        try {
            file.roll(tree.lasting());
        } catch (DiskException e) {
            noteFailure(
                    e); // All is durable in the present file; without room, the next commit tries
            // again.
        }
    }

    /// An owner that has stopped no longer wants its answer, and must not keep the others from theirs.
    private static void answer(Mailbox home, Runnable completion) {
        try {
            home.post(completion);
        } catch (RuntimeException e) {
            LOG.warn("An answer of the metadata store found nobody", e);
        }
    }

    /// Lets go of the file. To be called on the store's own mailbox, or after that has stopped; all commits must have been answered.
    @Override
    public void close() {
        file.close();
    }

    private record Watching(Mailbox home, Watcher watcher) {}

    private record Waiting(Mailbox home, List<Change> changes, Reply<Outcome> reply) {}
}
