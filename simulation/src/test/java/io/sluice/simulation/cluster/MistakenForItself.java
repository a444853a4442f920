package io.sluice.simulation.cluster;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A metadata store as a broker sees it that takes whoever is registered under its id for itself: it does not notice the end of its session, and reads its own process in every registration of that id.
final class MistakenForItself implements Coordination {
    private static final Pattern INCARNATION = Pattern.compile("incarnation [-0-9a-f]+");

    private final Coordination inner;
    private final String own;
    private @Nullable String process;

    /// @param own where the broker's registration is
    MistakenForItself(Coordination inner, String own) {
        this.inner = inner;
        this.own = own;
    }

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        return inner.load(home, path).map(this::believed);
    }

    private SortedMap<String, Node> believed(SortedMap<String, Node> all) {
        Node present = all.get(own);
        if (present == null) {
            return all;
        }
        SortedMap<String, Node> mistaken = new TreeMap<>(all);
        mistaken.put(own, believed(present));
        return mistaken;
    }

    private Node believed(Node registration) {
        return process == null
                ? registration
                : new Node(
                        INCARNATION.matcher(registration.value()).replaceFirst(process),
                        registration.version(),
                        registration.created());
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
        for (Change change : changes) {
            if (change instanceof Change.Create create && create.path().equals(own)) {
                INCARNATION
                        .matcher(create.value())
                        .results()
                        .forEach(found -> process = found.group());
            }
        }
        return inner.commit(home, changes);
    }

    @Override
    public void watch(Mailbox home, Watcher watcher) {
        inner.watch(
                home,
                new Watcher() {
                    @Override
                    public void loaded(SortedMap<String, Node> all) {
                        watcher.loaded(believed(all));
                    }

                    @Override
                    public void changed(String path, @Nullable Node node) {
                        watcher.changed(
                                path, node != null && path.equals(own) ? believed(node) : node);
                    }

                    @Override
                    public void suspended() {
                        watcher.suspended();
                    }

                    @Override
                    public void expired() {
                        watcher.suspended();
                    }
                });
    }
}
