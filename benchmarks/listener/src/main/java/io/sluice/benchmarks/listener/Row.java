package io.sluice.benchmarks.listener;

/// A line of the table.
enum Row {
    BUSY("slots busy, 3 slots, jobs of 1–6 s, endless backlog (%)", "≥ 97"),
    WAITING("received and not started, at the worst moment (messages)", "0"),
    LOST("of 3 slots, lost after 10,000 forced rejections", "0"),
    LIGHT_IDLE("light messages' p99, idle (ms)", ""),
    LIGHT_SATURATED("light messages' p99, heavy ones saturated (ms)", ""),
    LIGHT("the same, saturated against idle (×)", "≤ 2"),
    STOP("stop in the middle of jobs, deadline 5 s (s)", "≤ 5"),
    ORPHANS("messages in flight to nobody after that", "0"),
    AGAIN("done, and delivered again after that", "0"),
    OVERHEAD("time per trivial message against a bare SDK loop (×)", "≤ 1.3"),
    BEST_FIXED("real model: the best fixed limit (chunks/s)", ""),
    ADAPTIVE("real model: the adaptive limit against the best fixed one (%)", "≥ 95"),
    FOUND("real model: found after (s)", "≤ 120"),
    LIMIT("real model: the limit that was found", ""),
    BEST("real model: the best fixed limit's number", ""),
    KILL_LOST("10,000 jobs, kill -9 every 20 s: lost", "0"),
    KILL_TWICE("the same, with the once-store: done twice", "0"),
    KILL_KILLS("the same: kills", ""),
    KILL_BEGUN("the same: attempts that a kill cut off, or that came again", "");

    final String title;
    final String target;

    Row(String title, String target) {
        this.title = title;
        this.target = target;
    }
}
