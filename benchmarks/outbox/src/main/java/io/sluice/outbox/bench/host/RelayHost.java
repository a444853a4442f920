package io.sluice.outbox.bench.host;

import io.sluice.outbox.Guarantee;
import io.sluice.outbox.lanes.Mode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/// The process of some relays. Says `ready`, answers `stats` with statements, empty polls and events per relay, and ends with `quit` or when its
/// input ends.
public final class RelayHost {
    /// Where events come from and go to.
    record Place(String url, String bootstrap, String topic) {}

    private RelayHost() {}

    /// Arguments: design, how many, JDBC URL, bootstrap servers, topic, delay in milliseconds.
    public static void main(String[] arguments) throws Exception {
        Place place = new Place(arguments[2], arguments[3], arguments[4]);
        int instances = Integer.parseInt(arguments[1]);
        long delay = Long.parseLong(arguments[5]);
        try (Guest guest = guest(arguments[0], place, instances, delay)) {
            guest.awaitReady();
            say("ready");
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String line = lines.readLine();
            while (line != null && !line.equals("quit")) {
                if (line.equals("stats")) {
                    say(
                            "stats %d %d %s"
                                    .formatted(
                                            guest.statements(),
                                            guest.emptyPolls(),
                                            Arrays.stream(guest.published())
                                                    .mapToObj(Long::toString)
                                                    .collect(Collectors.joining(" "))));
                } else if (line.startsWith("go ")) {
                    guest.go(Long.parseLong(line.substring(3)));
                }
                line = lines.readLine();
            }
        }
        System.exit(0);
    }

    private static Guest guest(String design, Place place, int instances, long delay) {
        return switch (design) {
            case "document" -> new DocumentGuest(place, instances, false, delay);
            case "document-mod" -> new DocumentGuest(place, instances, true, delay);
            case "compat" -> new CompatGuest(place, instances);
            case "log" -> new OurGuest(place, instances, Mode.LOG, Guarantee.AT_LEAST_ONCE, 0);
            case "log-1000" ->
                    new OurGuest(place, instances, Mode.LOG, Guarantee.AT_LEAST_ONCE, 1_000);
            case "wal" -> new OurGuest(place, instances, Mode.WAL, Guarantee.AT_LEAST_ONCE, 0);
            default -> throw new IllegalArgumentException("no design " + design);
        };
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
