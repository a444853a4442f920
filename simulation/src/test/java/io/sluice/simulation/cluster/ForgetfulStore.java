package io.sluice.simulation.cluster;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A metadata store as a broker with a mistake uses it: changes it forgets to make, news it does not take.
record ForgetfulStore(
        Coordination inner,
        UnaryOperator<List<Coordination.Change>> committed,
        UnaryOperator<Coordination.Outcome> believed,
        Predicate<String> heard)
        implements Coordination {

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        return inner.load(home, path);
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
        return inner.commit(home, committed.apply(changes)).map(believed);
    }

    @Override
    public void watch(Mailbox home, Watcher watcher) {
        inner.watch(
                home,
                new Watcher() {
                    @Override
                    public void loaded(SortedMap<String, Node> all) {
                        watcher.loaded(all);
                    }

                    @Override
                    public void changed(String path, @Nullable Node node) {
                        if (heard.test(path)) {
                            watcher.changed(path, node);
                        }
                    }

                    @Override
                    public void suspended() {
                        watcher.suspended();
                    }

                    @Override
                    public void expired() {
                        watcher.expired();
                    }
                });
    }
}
