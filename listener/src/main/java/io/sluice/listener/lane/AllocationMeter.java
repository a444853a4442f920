package io.sluice.listener.lane;

import java.lang.management.ManagementFactory;

/// Tells how many bytes a thread has allocated so far. Virtual threads are not told apart.
///
/// Thread-safe.
interface AllocationMeter {
    long UNKNOWN = -1;

    long bytesOf(Thread thread);

    static AllocationMeter ofThisJvm() {
        if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
                && threads.isThreadAllocatedMemorySupported()
                && threads.isThreadAllocatedMemoryEnabled()) {
            return thread ->
                    thread.isVirtual()
                            ? UNKNOWN
                            : threads.getThreadAllocatedBytes(thread.threadId());
        }
        return thread -> UNKNOWN;
    }
}
