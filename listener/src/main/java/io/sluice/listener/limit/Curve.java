package io.sluice.listener.limit;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// What a calibration found: progress over the number of jobs at once, and which number is right.
///
/// Immutable.
///
/// @param ended how the calibration came to its end
public record Curve(List<Point> points, String ended) {
    private static final double TOLERANCE = 0.05;
    private static final int BAR = 50;

    /// One measured number.
    ///
    /// @param rate progress per second
    public record Point(int jobs, double rate, Duration meanJobTime) {}

    public Curve {
        points = List.copyOf(points);
        if (points.isEmpty()) {
            throw new IllegalArgumentException("A curve needs at least one point.");
        }
    }

    public double bestRate() {
        return points.stream().mapToDouble(Point::rate).max().orElse(0);
    }

    /// The smallest number whose progress is within 5 % of the best: more jobs cost memory and time and bring nothing.
    public int recommended() {
        double wanted = (1 - TOLERANCE) * bestRate();
        return points.stream()
                .filter(point -> point.rate() >= wanted)
                .findFirst()
                .orElseThrow()
                .jobs();
    }

    public String sentence() {
        int right = recommended();
        Point last = points.getLast();
        return String.format(
                Locale.ROOT,
                "%d is right: the smallest number of jobs at once within 5 %% of the best progress measured (%.3g/s). %d would bring %+.0f %%. %s.",
                right,
                bestRate(),
                last.jobs(),
                100 * (last.rate() / rateAt(right) - 1),
                Character.toUpperCase(ended.charAt(0)) + ended.substring(1));
    }

    private double rateAt(int jobs) {
        return points.stream()
                .filter(point -> point.jobs() == jobs)
                .findFirst()
                .orElseThrow()
                .rate();
    }

    /// For a terminal: a bar for each number.
    public String text() {
        var out = new StringBuilder("jobs   progress/s   mean job\n");
        double best = bestRate();
        int right = recommended();
        for (Point point : points) {
            int bar = best > 0 ? (int) Math.round(BAR * point.rate() / best) : 0;
            out.append(
                    String.format(
                            Locale.ROOT,
                            "%4d %12.3f %9.2f s  %s%s%n",
                            point.jobs(),
                            point.rate(),
                            point.meanJobTime().toNanos() / 1e9,
                            "█".repeat(bar),
                            point.jobs() == right ? "  ◀ right" : ""));
        }
        return out.append(sentence()).append('\n').toString();
    }

    /// For a page: the same as a picture.
    public String svg() {
        int width = 640;
        int height = 320;
        int margin = 48;
        double best = bestRate();
        int most = points.getLast().jobs();
        int right = recommended();
        var line = new StringBuilder();
        var dots = new StringBuilder();
        for (Point point : points) {
            double x =
                    margin
                            + (double) (width - 2 * margin)
                                    * (point.jobs() - 1)
                                    / Math.max(1, most - 1);
            double y =
                    height - margin - (height - 2 * margin) * (best > 0 ? point.rate() / best : 0);
            line.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
            dots.append(
                    String.format(
                            Locale.ROOT,
                            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                            x,
                            y,
                            point.jobs() == right ? 7 : 3,
                            point.jobs() == right ? "#c2410c" : "#1d4ed8",
                            x,
                            height - margin + 20,
                            point.jobs()));
        }
        return """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
        <rect width="100%%" height="100%%" fill="white"/>
        <text x="%d" y="24" font-size="14">Progress over jobs at once: %d is right</text>
        <polyline fill="none" stroke="#1d4ed8" stroke-width="2" points="%s"/>
        %s</svg>
        """
                .formatted(width, height, margin, right, line.toString().strip(), dots);
    }
}
