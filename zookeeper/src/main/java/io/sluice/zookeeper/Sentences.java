package io.sluice.zookeeper;

import io.sluice.settings.Quantities;
import io.sluice.zookeeper.EnsembleSettings.Member;
import java.util.List;
import java.util.stream.Collectors;

/// What people are told about the ensemble: what happened, where, what to do. No sentence holds a secret. Stateless.
final class Sentences {
    private Sentences() {}

    static String unreachable(ZooKeeperSettings settings) {
        return "No ZooKeeper server answers at "
                + settings.where()
                + " for "
                + Quantities.formatDuration(settings.startTimeout())
                + ". Check that most servers of the ensemble run and can be reached from here, that the"
                + " addresses and client ports are right"
                + (settings.tls().isOn()
                        ? ", and that the stores in cluster.zookeeper.tls fit: these ports must speak"
                                + " TLS, with certificates for these host names"
                        : " and do not expect TLS")
                + ". cluster.zookeeper.start-timeout says how long to wait.";
    }

    /// Of a member without data, which cannot begin without these.
    static String missing(Member self, List<Member> silent) {
        return "Member "
                + self.id()
                + " of the ensemble has no data and waits for "
                + silent.stream()
                        .map(member -> "member " + member.id() + " at " + member.clientAddress())
                        .collect(Collectors.joining(", "))
                + ", which "
                + (silent.size() == 1 ? "does" : "do")
                + " not answer: a new ensemble begins when all of its members are there, one that exists takes it in. Start what is missing, or check its host and ports in cluster.ensemble.";
    }

    /// What to do about a member that does not start.
    static String remedy(Throwable cause) {
        for (Throwable one = cause; one != null; one = one.getCause()) {
            if (String.valueOf(one.getMessage()).contains("No snapshot found")) {
                return ". It has transactions without the snapshot that they build upon, so a part of its data is lost. If the other"
                        + " members run, move the folder away and start this broker again: it copies their data, and does not vote"
                        + " before it has it.";
            }
        }
        return ". Check that the host of this member in cluster.ensemble is an address of this machine,"
                + " that the ports are free, and that the folder is writable.";
    }

    static String notLetIn(ZooKeeperSettings settings, String znode, String code) {
        ZooKeeperSettings.Login login = settings.login();
        return "ZooKeeper at "
                + settings.where()
                + " does not let "
                + (login.isNobody() ? "a broker without a user" : "the user '" + login.user() + "'")
                + " use "
                + znode
                + " ("
                + code
                + "). It was probably created by another user, or the password is another. Check"
                + " cluster.zookeeper.user and cluster.zookeeper.password, which must be the same for"
                + " all brokers of a cluster, or choose another path behind the last server in"
                + " cluster.zookeeper.";
    }

    static String away(ZooKeeperSettings settings) {
        return "ZooKeeper at " + settings.where() + " cannot be reached at present.";
    }

    static String tooLarge(ZooKeeperSettings settings, Transaction transaction) {
        return "A commit of "
                + transaction.bytes()
                + " bytes (first of "
                + transaction.changes().getFirst().path()
                + ") is larger than the "
                + settings.largestRequestText()
                + " that the ensemble accepts. Raise jute.maxbuffer on every ZooKeeper server and set"
                + " cluster.zookeeper.jute-maxbuffer to the same, or use fewer partitions in one"
                + " topic.";
    }
}
