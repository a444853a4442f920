package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which partitions the members of a share group read. Kafka gives each partition to some of them only, and a member that has a record at work reads nothing else meanwhile: what
/// lies in a partition whose members are all at work waits, however many slots are free.
///
/// Owned by one thread.
final class ShareMembers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ShareMembers.class);
    private static final int PATIENCE_MILLIS = 3_000;

    /// One of ours.
    ///
    /// @param id its client's
    /// @param looks whether it looks for a record
    /// @param holds whether it has one
    record Member(String id, boolean looks, boolean holds) {}

    /// What is to be done.
    ///
    /// @param scouts those that have to look too, by their clients' ids
    /// @param more how many are needed besides
    record Plan(Set<String> scouts, int more) {
        static final Plan NOTHING = new Plan(Set.of(), 0);
    }

    private final KafkaSettings settings;
    private @Nullable Admin admin;

    /// Once for each trouble.
    private boolean warned;

    ShareMembers(KafkaSettings settings) {
        this.settings = settings;
    }

    /// Asks the group who reads what, and says how every partition gets somebody who looks.
    Plan plan(Collection<Member> ours) throws InterruptedException {
        try {
            Map<String, Set<TopicPartition>> read = new HashMap<>();
            for (ShareMemberDescription member : membersOfGroup()) {
                read.put(member.clientId(), member.assignment().topicPartitions());
            }
            warned = false;
            return plan(ours, read);
        } catch (ExecutionException e) {
            if (!warned) {
                log.warn(
                        "Who reads which partition cannot be said: {}. Allow this client to describe its group.",
                        String.valueOf(e.getCause()));
            }
            warned = true;
            return Plan.NOTHING;
        }
    }

    /// @param read what each member reads, by its client's id, those of other workers too: whether they look, nobody knows
    static Plan plan(Collection<Member> ours, Map<String, Set<TopicPartition>> read) {
        Set<TopicPartition> unseen = new HashSet<>();
        read.values().forEach(unseen::addAll);
        for (Member member : ours) {
            if (member.looks()) {
                unseen.removeAll(read.getOrDefault(member.id(), Set.of()));
            }
        }
        Set<String> scouts = new HashSet<>();
        boolean settled = true;
        for (Member member : ours) {
            if (!member.holds()) {
                Set<TopicPartition> its = read.getOrDefault(member.id(), Set.of());
                // Whoever has just come has to get its part first; and nobody has come before he
                // looks.
                settled &= !its.isEmpty();
                boolean helps = !read.containsKey(member.id()) && !unseen.isEmpty();
                if (!member.looks() && (unseen.removeAll(its) || helps)) {
                    scouts.add(member.id());
                }
            }
        }
        return new Plan(scouts, settled ? unseen.size() : 0);
    }

    private Collection<ShareMemberDescription> membersOfGroup()
            throws ExecutionException, InterruptedException {
        if (admin == null) {
            Map<String, Object> client = new HashMap<>(settings.producer());
            client.put("default.api.timeout.ms", PATIENCE_MILLIS);
            client.put("request.timeout.ms", PATIENCE_MILLIS / 2);
            admin = Admin.create(client);
        }
        String group = settings.group();
        var described = admin.describeShareGroups(List.of(group)).all().get().get(group);
        return described == null ? List.of() : described.members();
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}
