package io.sluice.zookeeper;

import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.zookeeper.client.HostProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which server a broker tries next that runs a member of the ensemble itself: its own, for a second; then in turn one of the others and its own.
///
/// With its own, only the end of the ensemble's leader ends the connection, for as long as the ensemble takes to elect another. With a server drawn by lot, as ZooKeeper's clients usually do, the death of any broker would
/// suspend a third of the sessions, perhaps the controller's, in the moment in which it is needed.
///
/// While the own one was away the connection is with another one, and stays there until somebody tells it to go home ([WayHome]).
///
/// Owned by the sending thread of ZooKeeper's client; [#isHome] is thread-safe.
final class NearestFirst implements HostProvider {
    private static final Logger LOG = LoggerFactory.getLogger(NearestFirst.class);
    private static final Duration PAUSE = Duration.ofMillis(25);
    private static final int OWN_TRIES = 40;

    private final List<String> servers;
    private int tries;
    private int last;
    private volatile boolean home = true;

    /// @param servers host:port of each, the nearest first
    NearestFirst(List<String> servers) {
        this.servers = List.copyOf(servers);
    }

    /// The client waits for a connection for so many parts of the session's time: one way around, each of the others between two tries of the own.
    @Override
    public int size() {
        return Math.max(1, 2 * (servers.size() - 1));
    }

    @Override
    public InetSocketAddress next(long spinDelay) {
        int turn = tries++;
        if (turn > 0) {
            pause(Math.min(spinDelay, PAUSE.toMillis()));
        }
        doNotSleep(Thread.currentThread());
        last = serverOf(turn);
        return address(servers.get(last));
    }

    private int serverOf(int turn) {
        int later = turn - OWN_TRIES;
        if (later < 0 || later % 2 == 1 || servers.size() == 1) {
            return 0;
        }
        return 1 + later / 2 % (servers.size() - 1);
    }

    /// Looked up at every try: a name may have another address by now.
    private static InetSocketAddress address(String server) {
        int colon = server.lastIndexOf(':');
        String host = server.substring(0, colon);
        String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new InetSocketAddress(plain, Integer.parseInt(server.substring(colon + 1)));
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// ZooKeeper's client sleeps for up to a second before every try but its first one, so that thousands of clients do not come back at once. A broker is alone with its member, and the cluster waits for it.
    /// There is no setting; where the field is missing, coming back takes a little longer.
    private static void doNotSleep(Thread sender) {
        try {
            Field first = sender.getClass().getDeclaredField("isFirstConnect");
            first.setAccessible(true);
            first.setBoolean(sender, true);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug("This version of ZooKeeper's client sleeps before it connects again", e);
        }
    }

    @Override
    public void onConnected() {
        tries = 0;
        home = last == 0;
    }

    /// Whether the last connection that was made is with the own member.
    boolean isHome() {
        return home;
    }

    /// The members of an ensemble in brokers change with a restart of the brokers only; it is asked when the connection may go home.
    ///
    /// @return whether the connection is ended for that
    @Override
    public boolean updateServerList(
            Collection<InetSocketAddress> serverAddresses, InetSocketAddress currentHost) {
        return !home;
    }
}
