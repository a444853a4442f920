package io.sluice.controller;

import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whose disk is full, as the active controller hears it with the signs of life. Owned by its office.
///
/// What is heard is noted with the [Member], where everybody sees it and the next controller finds it. Of whom this controller has not heard yet, what is noted counts.
final class FullDisks {
    private static final Logger LOG = LoggerFactory.getLogger(FullDisks.class);

    /// In which life of the broker it was said.
    private record Said(long epoch, boolean full) {}

    private final SortedMap<Integer, Said> said = new TreeMap<>();

    /// A sign of the broker's present life. True when it says something else than is noted.
    boolean heard(SignOfLife sign, ClusterView view) {
        Member member = view.members().get(sign.broker());
        if (member == null || member.epoch() != sign.epoch()) {
            return false;
        }
        // Of one that is alone nobody could take anything over, and its store may be on the disk
        // that is full.
        boolean full = sign.diskFull() && view.members().size() > 1;
        Said before = said.put(sign.broker(), new Said(sign.epoch(), full));
        boolean isNews = full != member.diskFull();
        if (isNews && (before == null || before.full() != full)) {
            LOG.warn(
                    full
                            ? "The disk of broker {} is full: what others can lead is led by them until it has room"
                            : "The disk of broker {} has room again",
                    sign.broker());
        }
        return isNews;
    }

    /// The member with what was heard of it last.
    Member noted(Member member) {
        Said last = said.get(member.id());
        return last == null || last.epoch() != member.epoch() || last.full() == member.diskFull()
                ? member
                : member.withDisk(last.full());
    }
}
