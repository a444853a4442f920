package io.sluice.partition;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/// Who is in sync: the set of the plan, and those whom a proposal under way may have added to it.
///
/// ```
///             propose                accepted, or a newer plan
///   settled ───────────▶ asked ───────────────────────────────────▶ settled
///      ▲                   │ nobody knows the outcome, or the plan has changed since
///      │ a newer plan      ▼
///      └──────────────── in doubt ──propose again──▶ asked
/// ```
/// The watermark counts with the *maximal* set, which holds everybody who may be in the plan: a member that the leader does not know of yet could
/// be elected without what was committed. So what was proposed stays in it until the plan is known to say otherwise.
///
/// Owned by its shard; pure.
final class InSyncSet {
    private SortedSet<Integer> members;
    private SortedSet<Integer> maximal;
    private int change;
    private boolean asked;
    private boolean inDoubt;

    InSyncSet(Collection<Integer> members, int change) {
        this.members = new TreeSet<>(members);
        this.maximal = this.members;
        this.change = change;
    }

    boolean contains(int broker) {
        return members.contains(broker);
    }

    int size() {
        return members.size();
    }

    SortedSet<Integer> members() {
        return Collections.unmodifiableSortedSet(members);
    }

    /// Everybody who is in the plan's set, or may be.
    SortedSet<Integer> maximal() {
        return Collections.unmodifiableSortedSet(maximal);
    }

    /// Which state of the plan the members are of.
    int change() {
        return change;
    }

    /// One proposal at a time.
    boolean isAsked() {
        return asked;
    }

    /// An earlier proposal may have been taken in; until that is known every proposal is worth making, even one of the present members.
    boolean isInDoubt() {
        return inDoubt;
    }

    void propose(Collection<Integer> wanted) {
        asked = true;
        SortedSet<Integer> union = new TreeSet<>(maximal);
        union.addAll(wanted);
        maximal = union;
    }

    /// The plan has these members, by a proposal or otherwise. False when it is not news.
    boolean planned(Collection<Integer> planned, int newChange) {
        if (newChange <= change) {
            return false;
        }
        members = new TreeSet<>(planned);
        maximal = members;
        change = newChange;
        asked = false;
        inDoubt = false;
        return true;
    }

    /// The answer to the proposal that was made on this state of the plan. True when the set is another one now. One that is no change of the plan settles nothing: only a change keeps out what is still on its way.
    boolean accepted(int proposedOn, Collection<Integer> planned, int newChange) {
        boolean news = planned(planned, newChange);
        if (!news) {
            unknown(proposedOn); // What was asked for before may still be taken in.
        }
        return news;
    }

    /// The proposal that was made on this state of the plan was not taken in. An earlier one of unknown outcome may have been.
    void refused(int proposedOn) {
        if (proposedOn == change) {
            asked = false;
            if (!inDoubt) {
                maximal = members;
            }
        }
    }

    void unknown(int proposedOn) {
        if (proposedOn == change) {
            asked = false;
            inDoubt = true;
        }
    }

    @Override
    public String toString() {
        return members + "@" + change + (maximal.equals(members) ? "" : " perhaps " + maximal);
    }
}
