package io.sluice.zookeeper;

import org.apache.jute.BinaryInputArchive;

/// The largest piece of data that ZooKeeper's classes read in this process: a system property, looked at once, when they are first used.
///
/// Thread-safe: only says what is fixed after the first use.
final class JuteBuffer {
    /// Room for a topic with tens of thousands of partitions.
    static final int BYTES = 8 << 20;

    /// For answers alone: lists of very many names.
    static final int ANSWER_BYTES = 64 << 20;

    private static final String PROPERTY = "jute.maxbuffer";

    private JuteBuffer() {}

    /// To be called before any class of ZooKeeper is used. What somebody has set before stays.
    static void prepare() {
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, Integer.toString(BYTES));
        }
    }

    /// What is in force in this process.
    static int inForce() {
        return BinaryInputArchive.maxBuffer;
    }
}
