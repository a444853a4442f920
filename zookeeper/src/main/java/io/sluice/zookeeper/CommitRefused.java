package io.sluice.zookeeper;

/// ZooKeeper would not take a commit whatever the tree looks like: it was not made.
public final class CommitRefused extends RuntimeException {
    public CommitRefused(String sentence) {
        super(sentence);
    }
}
