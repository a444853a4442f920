package io.sluice.listener.kafka;

import io.sluice.listener.kafka.HeldRecords.Held;
import io.sluice.listener.kafka.ShareMembers.Member;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import io.sluice.listener.message.Source;
import io.sluice.listener.thread.SteadyThread;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Topics as a source, through a share group: a queue over a topic, without partitions that belong to somebody. Needs a broker with share groups, such as Apache
/// Kafka 4.2 or newer.
///
/// | | |
/// | --- | --- |
/// | jobs at once | as many as the lanes allow, up to 64 |
/// | order | none: a share group has none, and a lane that wants one is refused at start |
/// | leases | the broker's lock, renewed while a job runs, up to the longest job; a lost lock cancels the job, which is then never acknowledged |
/// | received | one record per poll, when there is room (`max.poll.records`, in mode `record_limit`) |
/// | members | as many as records at work, and so many that look for the next that each partition has one, up to 64: a share consumer hands out nothing else as long as it renews a lock |
/// | lane full, retry | stays here with its lock renewed, because the broker archives what is given back a few times |
/// | last delivery | a dead letter, before anybody begins with it: if that worker stopped too, the broker would archive it |
/// | dead letters | in a topic of their own, then acknowledged |
/// | begins | at the topic's beginning, unless the group's settings say otherwise: see [ShareGroup] |
/// | stop | what has not ended is released |
///
/// Thread-safe: hands everything over to the threads of its loops.
public final class KafkaShareSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(KafkaShareSource.class);
    private static final int MOST_MEMBERS = 64;

    /// How often to look whether somebody is missing.
    private static final Duration LOOKS_EVERY = Duration.ofSeconds(1);

    /// Looks after which it is no coincidence any more.
    private static final int STUCK = 5;

    /// Its clients', so that they can be told from those of other workers.
    private final String clientIds = "sluice-" + UUID.randomUUID() + "-";

    private final KafkaSettings settings;
    private final List<ShareLoop> loops = new CopyOnWriteArrayList<>();
    private @Nullable Intake intake;
    private @Nullable ShareGroup group;
    private boolean stopping;
    private int made;
    private final TopicWatch watch;
    private final ShareMembers members;
    private final SteadyThread looksAfterMembers;

    /// When it was last made sure that each partition has a member that looks. Owned by the thread that looks after them.
    private long coveredNanos = System.nanoTime();

    /// For how many looks all members had a record though there was room.
    private volatile int stuck;

    /// How many partitions nobody looked into at the last look. Owned by the thread that looks after members.
    private int unread;

    public KafkaShareSource(KafkaSettings settings) {
        this.settings = settings;
        this.watch = new TopicWatch(settings, this::idle);
        this.members = new ShareMembers(settings);
        this.looksAfterMembers =
                new SteadyThread(
                        "sluice-members-" + String.join("-", settings.topics()),
                        "Members could not be looked after",
                        this::lookAfterMembers);
        require("share.acquire.mode", "record_limit");
        require("share.acknowledgement.mode", "explicit");
    }

    private void require(String name, String only) {
        Object said = settings.client().getOrDefault(name, only);
        if (!only.equals(said)) {
            throw new IllegalArgumentException(
                    "%s=%s is not possible here: the listener takes record by record, and acknowledges each when its job has ended. Remove it."
                            .formatted(name, said));
        }
    }

    @Override
    public String name() {
        return "topic " + String.join(", ", settings.topics()) + " (share group)";
    }

    @Override
    public boolean keepsOrder() {
        return false;
    }

    @Override
    public String remarkOnSeveralLanes() {
        return "a record whose lane is full occupies one of %d members until there is room: when all of them are occupied, nobody looks for those of the other lanes. Give heavy records a topic of their own"
                .formatted(MOST_MEMBERS);
    }

    @Override
    public int mostAtWork() {
        return MOST_MEMBERS;
    }

    @Override
    public synchronized void start(Intake newIntake) {
        if (intake != null) {
            throw new IllegalStateException("A source starts once; make a new one.");
        }
        new DeadLetterTopic(settings).prepare();
        group = ShareGroup.prepare(settings);
        intake = newIntake;
        grow();
        looksAfterMembers.start();
        watch.start();
    }

    /// What failed is tried again at the next look.
    private boolean lookAfterMembers() throws InterruptedException {
        LockSupport.parkNanos(this, LOOKS_EVERY.toNanos());
        if (Thread.interrupted()) {
            members.close();
            return false;
        }
        loops.forEach(ShareLoop::watch);
        if (loops.stream().noneMatch(loop -> loop.alive() && !loop.holds())) {
            grow();
        }
        // Each record that is acquired wakes this thread; the brokers are not asked so often.
        if (System.nanoTime() - coveredNanos >= LOOKS_EVERY.toNanos()) {
            coveredNanos = System.nanoTime();
            coverOrClose();
        }
        return true;
    }

    private void coverOrClose() throws InterruptedException {
        try {
            coverIfThereIsRoom();
        } catch (InterruptedException e) {
            members.close();
            throw e;
        }
    }

    private void coverIfThereIsRoom() throws InterruptedException {
        boolean hold = loops.stream().anyMatch(ShareLoop::holds);
        boolean room = hasRoom();
        boolean all = loops.stream().allMatch(ShareLoop::holds);
        stuck = hold && room && isFull() && all ? stuck + 1 : 0;
        if (room && (hold || loops.stream().anyMatch(ShareLoop::dozes))) {
            cover(hold);
        }
    }

    /// A slot that nobody has, or one that somebody keeps for what he looks for.
    private boolean hasRoom() {
        Intake open = intake;
        if (open == null) {
            return false;
        }
        try (Intake.Reservation room = open.reserve(1)) {
            return room.size() > 0 || loops.stream().anyMatch(ShareLoop::searches);
        }
    }

    /// Makes sure that somebody looks into each partition.
    ///
    /// @param mayGrow otherwise those that are here suffice: nobody is kept from looking by a record
    private void cover(boolean mayGrow) throws InterruptedException {
        ShareMembers.Plan plan =
                members.plan(
                        loops.stream()
                                .filter(ShareLoop::alive)
                                .map(loop -> new Member(loop.id(), loop.looks(), loop.holds()))
                                .toList());
        loops.stream().filter(loop -> plan.scouts().contains(loop.id())).forEach(ShareLoop::scout);
        int more = mayGrow ? plan.more() : 0;
        for (int i = 0; i < more; i++) {
            grow();
        }
        warnOfUnread(isFull() ? more : 0);
    }

    /// It is no trouble yet: perhaps nothing lies there.
    private void warnOfUnread(int partitions) {
        if (partitions > 0 && unread == 0) {
            log.warn(
                    "{} partitions of {} are read by nobody until a job ends: their members in share group {} have a record at work, and there are no more than {} members. Fewer partitions or more workers help.",
                    partitions,
                    settings.topics(),
                    settings.group(),
                    MOST_MEMBERS);
        }
        unread = partitions;
    }

    private boolean isFull() {
        return loops.size() >= MOST_MEMBERS;
    }

    /// One more member, if there may be one.
    private synchronized void grow() {
        Intake open = intake;
        ShareGroup known = group;
        if (open == null || known == null || stopping || isFull()) {
            return;
        }
        String id = clientIds + made++;
        var loop =
                new ShareLoop(
                        id,
                        settings,
                        known,
                        () -> consumer(id),
                        new DeadLetterTopic(settings),
                        open,
                        looksAfterMembers::unpark);
        loop.start();
        loops.add(loop);
    }

    private ShareConsumer<byte[], byte[]> consumer(String id) {
        Map<String, Object> client = new HashMap<>(settings.client());
        client.put("share.acknowledgement.mode", "explicit");
        client.put("share.acquire.mode", "record_limit");
        client.put("max.poll.records", 1);
        client.put("client.id", id);
        client.putIfAbsent("allow.auto.create.topics", false);
        return new KafkaShareConsumer<>(
                client, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public synchronized void stopReceiving() {
        stopping = true;
        loops.forEach(ShareLoop::stopReceiving);
    }

    @Override
    public void settle(Message message, Settlement settlement) {
        ((Held) message.receipt()).owner.settle(message, settlement);
    }

    @Override
    public @Nullable String trouble() {
        return loops.stream()
                .map(ShareLoop::trouble)
                .filter(trouble -> trouble != null)
                .findFirst()
                .orElseGet(this::troubleOfAll);
    }

    private @Nullable String troubleOfAll() {
        return stuck < STUCK
                ? watch.trouble()
                : "Nothing can be received from %s: all %d members of share group %s have a record, some only until its lane has room, so that nobody looks for those of the other lanes. Raise the limit of the lane that is full, or give its records a topic of their own."
                        .formatted(settings.topics(), MOST_MEMBERS, settings.group());
    }

    /// Of the one that looks for the next record.
    @Override
    public Duration idle() {
        return loops.stream().map(ShareLoop::idle).max(Duration::compareTo).orElse(Duration.ZERO);
    }

    @Override
    public Duration leaseLateness() {
        return loops.stream()
                .map(ShareLoop::lateness)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public void close(Duration deadline) {
        long end = System.nanoTime() + deadline.toNanos();
        watch.close();
        looksAfterMembers.interrupt();
        loops.forEach(loop -> loop.beginClosing(deadline));
        for (ShareLoop loop : loops) {
            loop.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }
}
