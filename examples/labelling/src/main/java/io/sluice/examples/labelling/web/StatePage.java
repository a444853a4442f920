package io.sluice.examples.labelling.web;

import io.sluice.examples.labelling.documents.Documents;
import io.sluice.examples.labelling.queue.DocumentQueue;
import io.sluice.listener.lane.LaneState;
import io.sluice.listener.limit.CalibratingLimit;
import io.sluice.listener.limit.Curve;
import io.sluice.listener.limit.Limit.Progress;
import io.sluice.spring.Listeners;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// What the page shows, and its two buttons: another limit, and a calibration of the heavy lane.
///
/// Thread-safe.
@RestController
public class StatePage {
    private static final String SOURCE = "documents";
    private static final String HEAVY = "label";
    private static final int SHOWN = 30;

    /// All that the page needs for one look.
    public record State(
            String queue,
            long waiting,
            @Nullable String trouble,
            List<LaneState> lanes,
            Map<String, Long> counts,
            List<Documents.Row> finished,
            String calibration) {}

    private final Listeners listeners;
    private final Documents documents;
    private final DocumentQueue queue;
    private final AtomicReference<@Nullable Curve> curve = new AtomicReference<>();
    private final AtomicReference<String> calibration = new AtomicReference<>("");

    public StatePage(Listeners listeners, Documents documents, DocumentQueue queue) {
        this.listeners = listeners;
        this.documents = documents;
        this.queue = queue;
    }

    @GetMapping("/state")
    public State state() throws Exception {
        var listener = listeners.require(SOURCE);
        return new State(
                queue.describe(),
                queue.waiting(),
                listener.trouble(),
                listener.lanes(),
                documents.counts(),
                documents.finished(SHOWN),
                calibration.get());
    }

    @PostMapping("/limit")
    public void limit(@RequestParam String lane, @RequestParam int limit) {
        listeners.require(SOURCE).limit(lane, limit);
    }

    /// Runs the heavy lane with 1, 2, 3 … jobs at once; needs a backlog for as long as it takes.
    @PostMapping("/calibrate")
    public ResponseEntity<String> calibrate(
            @RequestParam(defaultValue = "8") int upTo,
            @RequestParam(defaultValue = "10") int seconds) {
        if (!calibration.compareAndSet("", "measures")) {
            return ResponseEntity.status(HttpStatus.CONFLICT).body("A calibration runs already.");
        }
        Thread.ofVirtual().start(() -> measure(upTo, Duration.ofSeconds(seconds)));
        return ResponseEntity.accepted().body("See /curve.svg when it is done.");
    }

    private void measure(int upTo, Duration window) {
        try {
            Curve found =
                    listeners
                            .require(SOURCE)
                            .calibrate(HEAVY, new CalibratingLimit(upTo, Progress.CPU, window, 0));
            curve.set(found);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            calibration.set("");
        }
    }

    @GetMapping(value = "/curve.svg", produces = "image/svg+xml")
    public ResponseEntity<String> curveAsPicture() {
        Curve found = curve.get();
        return found == null ? ResponseEntity.notFound().build() : ResponseEntity.ok(found.svg());
    }

    @GetMapping(value = "/curve.txt", produces = MediaType.TEXT_PLAIN_VALUE)
    public ResponseEntity<String> curveAsText() {
        Curve found = curve.get();
        return found == null ? ResponseEntity.notFound().build() : ResponseEntity.ok(found.text());
    }
}
