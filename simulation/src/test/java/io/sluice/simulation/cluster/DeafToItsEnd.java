package io.sluice.simulation.cluster;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A metadata store as a broker uses it that does not notice the end of its session: it believes for ever in the registration that it once had. Everything else it hears.
final class DeafToItsEnd implements Coordination {
    private final Coordination inner;
    private final String own;
    private @Nullable Node registration;

    /// @param own where the broker's registration is
    DeafToItsEnd(Coordination inner, String own) {
        this.inner = inner;
        this.own = own;
    }

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        return inner.load(home, path).map(all -> path.isEmpty() ? believed(all) : all);
    }

    private SortedMap<String, Node> believed(SortedMap<String, Node> all) {
        Node present = all.get(own);
        if (present != null) {
            registration = present;
            return all;
        }
        SortedMap<String, Node> more = new TreeMap<>(all);
        if (registration != null) {
            more.put(own, registration);
        }
        return more;
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
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
                        if (!path.equals(own)) {
                            watcher.changed(path, node);
                        } else if (node != null) {
                            registration = node;
                            watcher.changed(path, node);
                        }
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
