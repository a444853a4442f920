package io.sluice.chaos.place;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Which addresses are reached from where this runs. Nobody listens at any of them: what says so was there, and what says nothing is cut off.
///
/// Stateless.
final class Reach {
    private static final int PATIENCE_MILLIS = 3_000;
    private static final String REACHED = "reached ";

    private Reach() {}

    /// Prints those of the addresses that are reached.
    public static void main(String... addresses) throws InterruptedException {
        from(List.of(addresses)).forEach(address -> System.out.println(REACHED + address));
    }

    static Set<String> from(List<String> addresses) throws InterruptedException {
        Set<String> reached = new ConcurrentSkipListSet<>();
        List<Thread> tries =
                addresses.stream()
                        .map(
                                address ->
                                        Thread.ofVirtual()
                                                .start(
                                                        () -> {
                                                            if (answers(address)) {
                                                                reached.add(address);
                                                            }
                                                        }))
                        .toList();
        for (Thread one : tries) {
            one.join();
        }
        return reached;
    }

    /// What a process at a broker's place reaches.
    static Set<String> from(int broker, Place place, List<String> addresses) {
        List<String> environment =
                place.environment(broker).entrySet().stream()
                        .map(variable -> variable.getKey() + "=" + variable.getValue())
                        .toList();
        List<String> java =
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Reach.class.getName());
        List<String> words =
                List.of(List.of("env"), environment, java, addresses).stream()
                        .flatMap(List::stream)
                        .toList();
        String printed = Command.run(place.inside(broker, words).toArray(String[]::new));
        return printed.lines()
                .filter(line -> line.startsWith(REACHED))
                .map(line -> line.substring(REACHED.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean answers(String address) {
        Function<Integer, String> part = i -> address.split(":", 2)[i];
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(part.apply(0), Integer.parseInt(part.apply(1))),
                    PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException silence) {
            return false;
        } catch (SocketException refused) {
            return true;
        } catch (IOException e) {
            throw new IllegalStateException("Cannot try " + address, e);
        }
    }
}
