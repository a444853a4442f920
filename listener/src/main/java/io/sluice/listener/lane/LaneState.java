package io.sluice.listener.lane;

import java.time.Duration;

/// What a lane is doing right now, and in one sentence why it takes no more.
///
/// Immutable.
///
/// @param limit how many slots it has at the moment
/// @param inFlight how many of them are taken
/// @param waiting how many of those wait behind their key
/// @param refused messages that found no slot and went back
/// @param breaches jobs that the executor refused although there was a slot
/// @param meanJobTime how long a job takes lately
/// @param sentence for people
/// @param limitReason why the limit is what it is, for people
public record LaneState(
        String lane,
        int limit,
        int inFlight,
        int waiting,
        long admitted,
        long refused,
        long breaches,
        long done,
        long retried,
        long deadLettered,
        long handedBack,
        long lost,
        Duration meanJobTime,
        String sentence,
        String limitReason) {

    public int free() {
        return Math.max(0, limit - inFlight);
    }

    static LaneState of(Lane lane, boolean closed, long nowNanos) {
        LaneTally tally = lane.tally();
        return new LaneState(
                lane.settings().name(),
                lane.limit(),
                lane.inFlight(),
                lane.waiting(),
                tally.admitted,
                tally.refused,
                tally.breaches,
                tally.done,
                tally.retried,
                tally.deadLettered,
                tally.handedBack,
                tally.lost,
                lane.meanJobTime(),
                sentence(lane, closed, nowNanos),
                "The limit " + lane.policy().reason() + ".");
    }

    private static String sentence(Lane lane, boolean closed, long nowNanos) {
        String name = "Lane " + lane.settings().name();
        int busy = lane.inFlight();
        if (closed) {
            return busy == 0
                    ? name + " has stopped."
                    : name
                            + " takes no more because the listener stops; "
                            + jobs(busy)
                            + " still to end.";
        }
        long cancelled = lane.flights().stream().filter(flight -> flight.cancelled != null).count();
        if (cancelled > 0 && lane.free() == 0) {
            return name
                    + " takes no more: of its "
                    + slots(lane.limit())
                    + " "
                    + cancelled
                    + " are held by cancelled jobs that do not end.";
        }
        if (lane.free() == 0) {
            return name
                    + " takes no more: "
                    + (busy > lane.limit()
                            ? jobs(busy)
                                    + " in flight, over the limit of "
                                    + lane.limit()
                                    + " that was lowered"
                            : "all of its " + slots(lane.limit()) + " are taken")
                    + longest(lane, nowNanos)
                    + unburied(lane)
                    + ".";
        }
        return name
                + " has room for "
                + lane.free()
                + " more ("
                + busy
                + " of "
                + lane.limit()
                + " taken) and waits for messages.";
    }

    private static String longest(Lane lane, long nowNanos) {
        return lane.flights().stream()
                .filter(flight -> flight.state == Flight.State.RUNNING && !flight.burying)
                .mapToLong(flight -> nowNanos - flight.startedNanos)
                .max()
                .stream()
                .mapToObj(
                        nanos ->
                                ", the oldest job runs for "
                                        + Duration.ofNanos(nanos).toSeconds()
                                        + " s")
                .findFirst()
                .orElse("");
    }

    private static String unburied(Lane lane) {
        long letters = lane.flights().stream().filter(flight -> flight.burying).count();
        return letters == 0 ? "" : ", " + letters + " by dead letters that are not yet stored";
    }

    private static String slots(int count) {
        return count == 1 ? "1 slot" : count + " slots";
    }

    private static String jobs(int count) {
        return count == 1 ? "1 job" : count + " jobs";
    }
}
