package io.sluice.listener.lane;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/// Tells how much CPU time a thread has used. Virtual threads are not told apart, and count as zero.
///
/// Thread-safe.
interface CpuClock {
    long nanosOf(Thread thread);

    static CpuClock ofThisJvm() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        if (!threads.isThreadCpuTimeSupported()) {
            return thread -> 0;
        }
        return thread ->
                thread.isVirtual() ? 0 : Math.max(0, threads.getThreadCpuTime(thread.threadId()));
    }
}
