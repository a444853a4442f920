package io.sluice.zookeeper;

import io.sluice.env.Coordination.Node;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/// Reads the tree over one connection, first all of it and then what changes.
///
/// ```
///   begin: sync, make the root, watch all below it, list every folder, read every node
///   event: that node was created or set ─▶ read it;  it was deleted ─▶ it is gone
/// ```
/// ZooKeeper answers the requests of a connection in their order, and sends news of a change before any answer that shows it. So
/// - a later answer is never older than an earlier one;
/// - whenever no read is open, the mirror is exactly the ensemble's tree after some transaction ([#whenSettled]);
/// - when the reads are answered that are open now, all news that came before now are in the mirror ([#whenCaughtUp]).
///
/// When the connection breaks, the reader is of no further use, and the next one begins anew. Owned by the store's thread; answers of ZooKeeper's
/// own thread cross over in their order.
final class TreeReader {
    private final ZooKeeper keeper;
    private final ZnodePaths paths;
    private final List<ACL> access;
    private final Executor own;
    private final Listener listener;
    private final Mirror mirror = new Mirror();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final List<Runnable> waitingForRest = new ArrayList<>();
    private long asked;
    private long answered;
    private boolean broken;

    /// What the reader finds out; nothing after the connection broke.
    interface Listener {
        void changed(String path, @Nullable Node node);

        /// Reading is not possible, and would not be on another connection.
        void failed(Code code, String znode);
    }

    /// To be run when so many reads are answered.
    private record Waiting(long answers, Runnable work) {}

    TreeReader(
            ZooKeeper keeper, ZnodePaths paths, List<ACL> access, Executor own, Listener listener) {
        this.keeper = keeper;
        this.paths = paths;
        this.access = access;
        this.own = own;
        this.listener = listener;
    }

    Mirror mirror() {
        return mirror;
    }

    /// Asks for everything. The watcher gets all news from below the root; given again on the same session, it is the same watch.
    void begin(Watcher watcher) {
        // Another server than the last one may be behind it.
        keeper.sync(paths.root(), (code, znode, _) -> note(code, znode), null);
        asked++;
        for (String znode : paths.aboveRoot()) {
            // Others may have their roots there too.
            makeFolder(znode, ZooDefs.Ids.OPEN_ACL_UNSAFE);
        }
        makeFolder(paths.root());
        asked++;
        keeper.addWatch(
                paths.root(),
                watcher,
                AddWatchMode.PERSISTENT_RECURSIVE,
                (code, znode, _) -> note(code, znode),
                null);
        list(paths.root());
    }

    /// Creates a folder unless it is there. What is asked of the connection afterwards finds it.
    void makeFolder(String znode) {
        makeFolder(znode, access);
    }

    private void makeFolder(String znode, List<ACL> forWhom) {
        asked++;
        AsyncCallback.StringCallback made =
                (code, _, _, _) ->
                        answer(
                                code == Code.NODEEXISTS.intValue() ? Code.OK.intValue() : code,
                                znode,
                                () -> made(code, znode));
        keeper.create(znode, new byte[0], forWhom, CreateMode.PERSISTENT, made, null);
    }

    private void made(int code, String znode) {
        if (code != Code.NONODE.intValue()) {
            mirror.putFolder(znode, 0);
        }
    }

    private void list(String folder) {
        asked++;
        AsyncCallback.Children2Callback listed =
                (code, _, _, names, stat) ->
                        answer(code, folder, () -> listed(folder, names, stat));
        keeper.getChildren(folder, false, listed, null);
    }

    private void listed(String folder, @Nullable List<String> names, @Nullable Stat stat) {
        if (names == null || stat == null) {
            mirror.removeFolder(folder);
            return;
        }
        mirror.putFolder(folder, stat.getPzxid());
        for (String name : names) {
            String znode = folder + "/" + name;
            if (paths.isFolder(znode)) {
                list(znode);
            } else {
                read(znode);
            }
        }
    }

    private void read(String znode) {
        asked++;
        AsyncCallback.DataCallback read =
                (code, _, _, data, stat) -> answer(code, znode, () -> read(znode, data, stat));
        keeper.getData(znode, false, read, null);
    }

    private void read(String znode, byte @Nullable [] data, @Nullable Stat stat) {
        String path = paths.path(znode);
        if (stat == null) {
            gone(path);
            return;
        }
        String value = data == null ? "" : new String(data, StandardCharsets.UTF_8);
        Node node = new Node(value, stat.getVersion(), stat.getCzxid());
        if (mirror.put(path, node, stat.getMzxid())) {
            listener.changed(path, node);
        }
    }

    private void gone(String path) {
        if (mirror.remove(path)) {
            listener.changed(path, null);
        }
    }

    /// What the watch tells; on the store's thread.
    void changed(WatchedEvent event) {
        String znode = event.getPath();
        if (broken || znode == null) {
            return;
        }
        boolean isDeletion = event.getType() == EventType.NodeDeleted;
        if (isDeletion || event.getType() == EventType.NodeCreated) {
            mirror.putFolder(znode.substring(0, znode.lastIndexOf('/')), event.getZxid());
        }
        if (!paths.isFolder(znode)) {
            if (isDeletion) {
                gone(paths.path(znode));
            } else {
                read(znode);
            }
        } else if (isDeletion) {
            // By a person; what was in it went before. To be made again when it is needed.
            mirror.removeFolder(znode);
        } else if (event.getType() == EventType.NodeCreated) {
            list(znode);
        }
    }

    private void note(int code, String znode) {
        answer(code, znode, () -> {});
    }

    private void answer(int code, String znode, Runnable use) {
        own.execute(() -> take(code, znode, use));
    }

    /// A number that this client does not know is an error all the same.
    static Code code(int number) {
        @Nullable Code known = Code.get(number);
        return known == null ? Code.SYSTEMERROR : known;
    }

    private void take(int number, String znode, Runnable use) {
        if (broken) {
            return;
        }
        Code code = code(number);
        switch (code) {
            // Absence is an answer, and shows as the missing stat.
            case OK, NONODE -> use.run();
            case CONNECTIONLOSS, SESSIONEXPIRED, OPERATIONTIMEOUT, REQUESTTIMEOUT, SESSIONMOVED -> {
                giveUp();
                return;
            }
            default -> {
                giveUp();
                listener.failed(code, znode);
                return;
            }
        }
        answered++;
        while (!waiting.isEmpty() && waiting.getFirst().answers <= answered) {
            waiting.removeFirst().work.run();
        }
        if (answered == asked) {
            runAll(waitingForRest);
        }
    }

    /// The connection is lost. Whoever waits is told at once, and finds [#isBroken].
    void giveUp() {
        if (!broken) {
            broken = true;
            waiting.forEach(last -> last.work.run());
            waiting.clear();
            runAll(waitingForRest);
        }
    }

    private static void runAll(List<Runnable> works) {
        List<Runnable> all = List.copyOf(works);
        works.clear();
        all.forEach(Runnable::run);
    }

    boolean isBroken() {
        return broken;
    }

    /// Runs the work when all that has been told so far has been read too, or cannot be any more.
    void whenCaughtUp(Runnable work) {
        if (broken || answered == asked) {
            work.run();
        } else {
            waiting.add(new Waiting(asked, work));
        }
    }

    /// Runs the work when no read is open, or none can be answered any more.
    void whenSettled(Consumer<Mirror> work) {
        if (broken || answered == asked) {
            work.accept(mirror);
        } else {
            waitingForRest.add(() -> work.accept(mirror));
        }
    }
}
