package io.sluice.benchmarks.listener;

/// A line of the table.
enum Row {
    BUSY("slots busy, 3 slots, jobs of 1–6 s, endless backlog (%)", Target.atLeast(97)),
    WAITING("received and not started, at the worst moment (messages)", Target.atMost(0)),
    LOST("of 3 slots, lost after 10,000 forced rejections", Target.atMost(0)),
    LIGHT_IDLE("light messages' p99, idle (ms)", Target.NONE),
    LIGHT_SATURATED("light messages' p99, heavy ones saturated (ms)", Target.NONE),
    LIGHT("the same, saturated against idle (×)", Target.atMost(2)),
    STOP("stop in the middle of jobs, deadline 5 s (s)", Target.atMost(5)),
    ORPHANS("messages in flight to nobody after that", Target.atMost(0)),
    AGAIN("done, and delivered again after that", Target.atMost(0)),
    OVERHEAD("time per trivial message against a bare SDK loop (×)", Target.atMost(1.3)),
    BEST_FIXED("real model: the best fixed limit (chunks/s)", Target.NONE),
    ADAPTIVE("real model: the adaptive limit against the best fixed one (%)", Target.atLeast(95)),
    FOUND("real model: found after (s)", Target.atMost(120)),
    LIMIT("real model: the limit that was found", Target.NONE),
    BEST("real model: the best fixed limit's number", Target.NONE),
    KILL_LOST("10,000 jobs, kill -9 every 20 s: lost", Target.atMost(0)),
    KILL_TWICE("the same, with the once-store: done twice", Target.atMost(0)),
    KILL_KILLS("the same: kills", Target.NONE),
    KILL_BEGUN("the same: attempts that a kill cut off, or that came again", Target.NONE);

    final String title;
    private final double atLeast;
    private final double atMost;

    Row(String title, Target target) {
        this.title = title;
        this.atLeast = target.atLeast();
        this.atMost = target.atMost();
    }

    Target target() {
        return new Target(atLeast, atMost);
    }
}
