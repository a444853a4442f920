package io.sluice.controller;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A metadata store in memory for several processes, each with a session that can be suspended, expire, or leave the outcome of a commit unknown. Owned by its test.
final class SharedStore {
    final TreeMap<String, Node> nodes = new TreeMap<>();
    final List<List<Coordination.Change>> commits = new ArrayList<>();
    private final TreeMap<String, Session> owners = new TreeMap<>();
    private final List<Session> sessions = new ArrayList<>();
    private long lastCreated;
    int reads;

    /// Commits with longer texts are refused.
    int largest = Integer.MAX_VALUE;

    /// What the sessions say of it.
    boolean isShared = true;

    record Node(Coordination.Node node) {}

    Session open() {
        Session session = new Session();
        sessions.add(session);
        return session;
    }

    String value(String path) {
        Node node = nodes.get(path);
        return node == null ? "" : node.node().value();
    }

    int version(String path) {
        Node node = nodes.get(path);
        return node == null ? -1 : node.node().version();
    }

    /// Somebody writes past all controllers.
    void put(String path, String value) {
        Node old = nodes.get(path);
        Coordination.Node node =
                old == null
                        ? new Coordination.Node(value, 0, ++lastCreated)
                        : new Coordination.Node(
                                value, old.node().version() + 1, old.node().created());
        set(path, node);
    }

    private void set(String path, Coordination.@Nullable Node node) {
        if (node == null) {
            nodes.remove(path);
            owners.remove(path);
        } else {
            nodes.put(path, new Node(node));
        }
        for (Session session : List.copyOf(sessions)) {
            session.tell(path, node);
        }
    }

    private Coordination.Outcome make(List<Coordination.Change> changes, Session by) {
        TreeMap<String, Coordination.@Nullable Node> next = new TreeMap<>();
        List<String> ofSession = new ArrayList<>();
        long number = lastCreated + 1;
        for (Coordination.Change change : changes) {
            String path = change.path();
            Node stored = nodes.get(path);
            Coordination.Node present =
                    next.containsKey(path) ? next.get(path) : stored == null ? null : stored.node();
            switch (change) {
                case Coordination.Change.Create(_, String value, Coordination.Life life) -> {
                    if (present != null) {
                        return new Coordination.Outcome.Conflict(path);
                    }
                    next.put(path, new Coordination.Node(value, 0, number));
                    if (life == Coordination.Life.SESSION) {
                        ofSession.add(path);
                    }
                }
                case Coordination.Change.Set(_, String value, int version) -> {
                    if (present == null || present.version() != version) {
                        return new Coordination.Outcome.Conflict(path);
                    }
                    next.put(path, new Coordination.Node(value, version + 1, present.created()));
                }
                case Coordination.Change.Delete(_, int version) -> {
                    if (present == null || present.version() != version) {
                        return new Coordination.Outcome.Conflict(path);
                    }
                    next.put(path, null);
                }
                case Coordination.Change.Check(_, int version) -> {
                    if (present == null || present.version() != version) {
                        return new Coordination.Outcome.Conflict(path);
                    }
                }
            }
        }
        lastCreated = number;
        commits.add(changes);
        next.forEach(
                (path, node) -> {
                    owners.remove(path);
                    set(path, node);
                });
        ofSession.forEach(path -> owners.put(path, by));
        return new Coordination.Outcome.Committed();
    }

    private static int size(List<Coordination.Change> changes) {
        int size = 0;
        for (Coordination.Change change : changes) {
            size += change instanceof Coordination.Change.Set set ? set.value().length() : 0;
        }
        return size;
    }

    /// One process's session.
    final class Session implements Coordination {
        private @Nullable Mailbox home;
        private @Nullable Watcher watcher;
        private boolean suspended;
        private final ArrayDeque<Runnable> held = new ArrayDeque<>();

        /// Commits wait until the test lets them through, or fails them.
        boolean isPatient;

        /// News of the watch wait until the test lets them through.
        boolean isDeaf;

        private final ArrayDeque<Runnable> unheard = new ArrayDeque<>();

        /// The next commit is made, or not, and its process does not learn which.
        @Nullable Boolean unknownButMade;

        /// The next commit is refused by the store as a whole.
        @Nullable String failure;

        /// Questions are never answered.
        boolean isHanging;

        @Override
        public boolean isShared() {
            return isShared;
        }

        @Override
        public Reply<SortedMap<String, Coordination.Node>> load(Mailbox home, String path) {
            reads++;
            Reply<SortedMap<String, Coordination.Node>> reply = new Reply<>();
            if (isHanging) {
                return reply;
            }
            if (suspended) {
                home.post(() -> reply.fail(new IllegalStateException("not connected")));
                return reply;
            }
            SortedMap<String, Coordination.Node> found = below(path);
            home.post(() -> reply.complete(found));
            return reply;
        }

        private SortedMap<String, Coordination.Node> below(String path) {
            TreeMap<String, Coordination.Node> found = new TreeMap<>();
            nodes.forEach(
                    (at, node) -> {
                        if (path.isEmpty() || at.equals(path) || at.startsWith(path + "/")) {
                            found.put(at, node.node());
                        }
                    });
            return found;
        }

        @Override
        public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
            Reply<Outcome> reply = new Reply<>();
            Runnable work = () -> commitNow(home, changes, reply);
            if (isPatient) {
                held.add(work);
            } else {
                work.run();
            }
            return reply;
        }

        private void commitNow(Mailbox home, List<Change> changes, Reply<Outcome> reply) {
            String sentence = size(changes) > largest ? "too large" : failure;
            if (sentence != null) {
                failure = null;
                home.post(() -> reply.fail(new IllegalStateException(sentence)));
                return;
            }
            Boolean made = unknownButMade;
            if (suspended || made != null) {
                unknownButMade = null;
                if (Boolean.TRUE.equals(made)) {
                    make(changes, this);
                }
                home.post(() -> reply.complete(new Outcome.Unknown("the connection broke")));
                return;
            }
            Outcome outcome = make(changes, this);
            home.post(() -> reply.complete(outcome));
        }

        int waiting() {
            return held.size();
        }

        void letThrough() {
            held.remove().run();
        }

        @Override
        public void watch(Mailbox home, Watcher watcher) {
            this.home = home;
            this.watcher = watcher;
            SortedMap<String, Coordination.Node> all = below("");
            home.post(() -> watcher.loaded(all));
        }

        private void tell(String path, Coordination.@Nullable Node node) {
            Watcher told = watcher;
            if (told != null && !suspended) {
                deliver(() -> told.changed(path, node));
            }
        }

        private void deliver(Runnable news) {
            if (isDeaf) {
                unheard.add(news);
            } else if (home != null) {
                home.post(news);
            }
        }

        void hear() {
            isDeaf = false;
            unheard.forEach(news -> deliver(news));
            unheard.clear();
        }

        void suspend() {
            suspended = true;
            Watcher told = watcher;
            if (told != null && home != null) {
                home.post(told::suspended);
            }
        }

        void resume() {
            suspended = false;
            Watcher told = watcher;
            if (told != null && home != null) {
                SortedMap<String, Coordination.Node> all = below("");
                home.post(() -> told.loaded(all));
            }
        }

        /// The store ends the session; the process does not know yet.
        void end() {
            List<String> mine = new ArrayList<>();
            owners.forEach(
                    (path, owner) -> {
                        if (owner == this) {
                            mine.add(path);
                        }
                    });
            mine.forEach(path -> set(path, null));
        }

        /// The process hears that its session has ended, and has a new one.
        void expire() {
            end();
            suspended = false;
            Watcher told = watcher;
            if (told != null && home != null) {
                home.post(told::expired);
            }
            resume();
        }

        /// The process is gone; its session lives on until [#end].
        void abandon() {
            sessions.remove(this);
            watcher = null;
        }
    }
}
