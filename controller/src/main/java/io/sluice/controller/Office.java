package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// The active controller: gathers what has to be changed in the plan, one commit after the other, most urgent first. Owned by the controller's mailbox.
///
/// ```
///  1 who is live and has room, registrations to admit, leaders for all   [Liveness, FullDisks, Admissions, Elections]
///  2 what was asked: in-sync sets, topics, moves, elections, brokers     [Request]
///  3 notes for removed brokers, moves that are done or can begin         [AbandonedNotes, Moves, Repairs]
///  4 leadership back to the first replicas                               [Elections.preferred]
/// ```
/// It decides and does nothing: its driver writes the drafts and tells how that ended. It lasts until another broker takes the office, and knows nothing that the next one could not find in the
/// plan, but for who wants to stop, which they will say again.
final class Office {
    static final int WAITING_MAX = 10_000;
    private static final int BALANCED_AT_ONCE = 50;
    private static final long BALANCE_STEP = Duration.ofSeconds(1).toNanos();
    private static final long BALANCE_SOON = Duration.ofSeconds(3).toNanos();

    /// How long a topic waits whose plan the store did not take.
    private static final long ASIDE = Duration.ofMinutes(1).toNanos();

    private final int epoch;
    private final ControllerSettings settings;
    private final Function<Map<String, String>, TopicRules> rules;
    private final Liveness liveness;
    private final Absences absences;
    private final FullDisks fullDisks = new FullDisks();
    private final PendingDeletions deletions;
    private final SortedMap<Integer, Long> stopping = new TreeMap<>();
    private final ArrayDeque<Request> waiting = new ArrayDeque<>();
    private final List<Request> decided = new ArrayList<>();
    private final SortedMap<String, Long> aside = new TreeMap<>();
    private final TreeSet<String> unsettled = new TreeSet<>();
    private final TreeSet<String> perhapsMoved = new TreeSet<>();
    private boolean allUnsettled = true;
    private boolean allPerhapsMoved = true;
    private long balanceAt;

    /// @param epoch of this office
    Office(
            int epoch,
            int self,
            ControllerSettings settings,
            Function<Map<String, String>, TopicRules> rules,
            long now) {
        this.epoch = epoch;
        this.settings = settings;
        this.rules = cached(rules);
        this.liveness = new Liveness(self, settings.heartbeatTimeout(), now);
        this.absences = new Absences(settings.replaceAfter());
        this.deletions = new PendingDeletions();
        this.balanceAt = now + settings.balanceInterval().toNanos();
    }

    /// Most topics have the same few settings.
    private static Function<Map<String, String>, TopicRules> cached(
            Function<Map<String, String>, TopicRules> rules) {
        Map<Map<String, String>, TopicRules> known = new HashMap<>();
        return settings -> {
            TopicRules found = known.get(settings);
            if (found == null) {
                if (known.size() >= 1_000) {
                    known.clear();
                }
                found = rules.apply(settings);
                known.put(settings, found);
            }
            return found;
        };
    }

    int epoch() {
        return epoch;
    }

    Liveness liveness() {
        return liveness;
    }

    PendingDeletions deletions() {
        return deletions;
    }

    /// The plan has changed, by this office or by others.
    void changed(ClusterView before, ClusterView after, Collection<String> topics, long now) {
        unsettled.addAll(topics);
        perhapsMoved.addAll(topics);
        if (!before.brokersAndMembers().equals(after.brokersAndMembers())) {
            SortedMap<Integer, Long> epochs = new TreeMap<>();
            after.brokersAndMembers()
                    .registered()
                    .forEach((id, broker) -> epochs.put(id, broker.epoch()));
            liveness.registered(epochs, id -> isFoundDead(after, id), now);
            stopping.entrySet().removeIf(one -> after.brokerEpoch(one.getKey()) != one.getValue());
            allUnsettled = true;
            allPerhapsMoved = true;
        }
        if (!before.upcoming().equals(after.upcoming())) {
            allPerhapsMoved = true;
            deletions.changed(after);
        }
    }

    private static boolean isFoundDead(ClusterView view, int id) {
        Member member = view.members().get(id);
        return member != null && member.isAway() && member.epoch() == view.brokerEpoch(id);
    }

    /// Somebody has died or come back to life.
    void lifeChanged() {
        allUnsettled = true;
    }

    /// A broker says whether its disk is full. True when the store does not say so yet, and something is to be done.
    boolean heardOfDisk(SignOfLife sign, ClusterView view, long now) {
        boolean news = fullDisks.heard(sign, view);
        if (news) {
            allUnsettled = true;
            // Those that have room again get back what they should lead.
            balanceAt = sign.diskFull() ? balanceAt : Math.min(balanceAt, now + BALANCE_SOON);
        }
        return news;
    }

    void wantsToStop(int broker, long brokerEpoch) {
        stopping.put(broker, brokerEpoch);
    }

    void submit(Request request) {
        if (waiting.size() >= WAITING_MAX) {
            request.refuse(
                    Reason.BUSY, WAITING_MAX + " changes are waiting already; try again later.");
        } else {
            waiting.add(request);
        }
    }

    /// What is to be written next, or null when nothing is to be done for now. Answers requests that need no writing.
    @Nullable Draft next(ClusterView view, long now, long wallMillis) {
        Circumstances circumstances = new Circumstances(view, new TreeSet<>(stopping.keySet()));
        deletions.expire(view, now);
        takeUpAgain(now);
        Draft draft = draft(view);
        settle(draft, wallMillis);
        if (!draft.isEmpty()) {
            return draft;
        }
        while (!waiting.isEmpty()) {
            decideWaiting(draft, circumstances, now);
            if (!draft.isEmpty()) {
                return draft;
            }
            if (decided.isEmpty()) {
                break; // All that is left has to wait.
            }
            written(now);
            draft = draft(view);
        }
        move(draft, circumstances, now, wallMillis);
        if (draft.isEmpty()) {
            balance(draft, circumstances, now);
        }
        return draft.isEmpty() ? null : draft;
    }

    private Draft draft(ClusterView view) {
        return new Draft(view, rules, settings.commitBytes(), Set.copyOf(aside.keySet()));
    }

    /// The store has refused a draft for what it is: without its largest topic the others need not wait for that one. The topic's name; null when it was not for a topic.
    @Nullable String setAside(Draft refused, long now) {
        String largest = refused.largestTopic();
        if (largest != null) {
            aside.put(largest, now + ASIDE);
        }
        return largest;
    }

    private void takeUpAgain(long now) {
        if (aside.values().removeIf(until -> until <= now)) {
            allUnsettled = true;
            allPerhapsMoved = true;
        }
    }

    private long asideUntil() {
        return aside.values().stream().min(Long::compare).orElse(Long.MAX_VALUE);
    }

    /// First the former lives of brokers that have registered anew, then their admission, then leaders for all.
    private void settle(Draft draft, long wallMillis) {
        if ((!allUnsettled && unsettled.isEmpty()) || !noteRules(draft)) {
            return;
        }
        ClusterView view = draft.base();
        TreeSet<Integer> live = new TreeSet<>();
        TreeSet<Integer> full = new TreeSet<>();
        List<Registered> toAdmit = new ArrayList<>();
        for (Registered broker : view.brokersAndMembers().registered().values()) {
            int id = broker.registration().id();
            Member member = view.members().get(id);
            if (liveness.isDead(id)) {
                continue;
            }
            if (member != null && member.epoch() == broker.epoch()) {
                live.add(id);
                Member noted = fullDisks.noted(member.away(Member.PRESENT));
                if (!noted.equals(member)) {
                    draft.put(noted);
                }
                if (noted.diskFull()) {
                    full.add(id);
                }
            } else {
                toAdmit.add(broker);
            }
        }
        for (Member member : view.members().values()) {
            boolean arrives =
                    toAdmit.stream().anyMatch(one -> one.registration().id() == member.id());
            if (!live.contains(member.id()) && !member.isAway() && !arrives) {
                draft.put(member.away(wallMillis));
            }
        }
        List<Registered> admitted = new ArrayList<>();
        for (Registered broker : toAdmit) {
            Admissions.Return back =
                    Admissions.of(broker, view.members().get(broker.registration().id()));
            if (countsInWhatIsAside(back, draft, live::contains)) {
                continue;
            }
            admitted.add(broker);
            if (!draft.apply((plan, its) -> Admissions.fence(plan, back, live::contains, its))) {
                return;
            }
        }
        for (Registered broker : admitted) {
            int id = broker.registration().id();
            draft.put(Admissions.admitted(broker, view.members().get(id)));
            live.add(id);
        }
        Collection<TopicPlan> topics =
                allUnsettled || !toAdmit.isEmpty() ? view.topics() : present(unsettled, view);
        if (draft.apply(
                topics,
                (plan, its) -> Elections.settle(plan, live::contains, full::contains, its))) {
            allUnsettled = false;
            unsettled.clear();
        }
    }

    /// Of topics whose plans do not say by what their leaders commit. False when there was no room for all.
    private boolean noteRules(Draft draft) {
        ClusterView view = draft.base();
        List<TopicPlan> without = new ArrayList<>();
        for (TopicPlan topic : allUnsettled ? view.topics() : present(unsettled, view)) {
            if (topic.rules() == null) {
                without.add(topic);
            }
        }
        return draft.apply(without, (plan, _) -> Elections.firstRuled(plan));
    }

    /// One that has lost what it had must not be live before every plan says so, also those that are set aside.
    private boolean countsInWhatIsAside(Admissions.Return back, Draft draft, IntPredicate live) {
        for (TopicPlan topic : present(aside.keySet(), draft.base())) {
            for (PartitionPlan plan : topic.partitions()) {
                if (!Admissions.fence(plan, back, live, draft.rulesOf(topic)).equals(plan)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Collection<TopicPlan> present(Set<String> names, ClusterView view) {
        List<TopicPlan> topics = new ArrayList<>();
        for (String name : names) {
            TopicPlan plan = view.findTopic(name);
            if (plan != null) {
                topics.add(plan);
            }
        }
        return topics;
    }

    private void decideWaiting(Draft draft, Circumstances circumstances, long now) {
        List<Request> later = new ArrayList<>();
        for (Request next = waiting.poll(); next != null; next = waiting.poll()) {
            if (deletions.mustWait(next, circumstances.view(), now)) {
                later.add(next);
                continue;
            }
            if (next instanceof TopicRequest topic
                    && deletions.isBlocked(topic.command().topic(), circumstances.view())) {
                PendingDeletions.refuse(topic);
                continue;
            }
            boolean alone = decided.isEmpty();
            if (!alone && !next.sharesACommit()) {
                waiting.addFirst(next);
                break;
            }
            next.decide(draft, circumstances);
            decided.add(next);
            if (!next.sharesACommit() || !draft.hasRoom()) {
                break;
            }
        }
        for (Request request : later.reversed()) {
            waiting.addFirst(request);
        }
    }

    private void move(Draft draft, Circumstances circumstances, long now, long wallMillis) {
        ClusterView view = circumstances.view();
        absences.look(view, now, wallMillis);
        if (!allPerhapsMoved && perhapsMoved.isEmpty() && !absences.hasNews(now)) {
            return;
        }
        AbandonedNotes.letGo(view, draft);
        boolean complete =
                draft.apply(
                        allPerhapsMoved ? view.topics() : present(perhapsMoved, view),
                        (plan, its) ->
                                plan.isMoving()
                                        ? Moves.finish(plan, circumstances::isStaying, its)
                                        : plan);
        if (!complete || !draft.isEmpty()) {
            return;
        }
        Beginnings beginnings = new Beginnings(draft, circumstances, settings.movesAtATime());
        beginnings.fromQueues();
        beginnings.fromRepairs(broker -> absences.isUnwanted(view, broker, now));
        if (draft.isEmpty()) {
            allPerhapsMoved = false;
            perhapsMoved.clear();
            absences.seen(now);
        }
    }

    private void balance(Draft draft, Circumstances circumstances, long now) {
        if (now < balanceAt) {
            return;
        }
        int[] left = {BALANCED_AT_ONCE};
        draft.apply(
                (plan, _) -> {
                    if (left[0] == 0 || plan.isMoving()) {
                        return plan;
                    }
                    PartitionPlan better = Elections.preferred(plan, circumstances::mayLead);
                    left[0] -= better.equals(plan) ? 0 : 1;
                    return better;
                });
        balanceAt = now + (left[0] == 0 ? BALANCE_STEP : settings.balanceInterval().toNanos());
    }

    /// The draft that was decided last is durable. Those whose requests it answers hear of it.
    void written(long now) {
        List<Request> answered = List.copyOf(decided);
        decided.clear();
        for (Request request : answered) {
            if (request instanceof TopicRequest topic && topic.isDeletion()) {
                deletions.await(topic, now);
            } else {
                request.done();
            }
            if (request instanceof InSyncRequest) {
                // Perhaps somebody has caught up who should lead.
                balanceAt = Math.min(balanceAt, now + BALANCE_SOON);
            }
        }
    }

    /// Somebody else has changed what the draft was decided on: everything is decided again.
    void decideAgain() {
        for (Request request : decided.reversed()) {
            waiting.addFirst(request);
        }
        decided.clear();
        allUnsettled = true;
        allPerhapsMoved = true;
    }

    /// The store could not take the draft. False when nobody had asked for it.
    boolean notWritten(Reason reason, String sentence) {
        List<Request> refused = List.copyOf(decided);
        decided.clear();
        refused.forEach(request -> request.refuse(reason, sentence));
        allUnsettled = true;
        allPerhapsMoved = true;
        return !refused.isEmpty();
    }

    /// Another broker has the office: nobody here will be answered any more.
    void end(String sentence) {
        List<Request> refused = new ArrayList<>(decided);
        refused.addAll(waiting);
        decided.clear();
        waiting.clear();
        refused.forEach(request -> request.refuse(Reason.NOT_CONTROLLER, sentence));
        deletions.end();
    }

    /// When [#next] may have something to say though nothing happens.
    long nextAt() {
        return Math.min(
                Math.min(Math.min(liveness.nextAt(), balanceAt), asideUntil()),
                Math.min(absences.nextAt(), deletions.nextAt()));
    }
}
