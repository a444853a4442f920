package io.sluice.chaos;

import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.fault.Faults;
import io.sluice.chaos.fault.Needs;
import io.sluice.chaos.place.Disks;
import io.sluice.chaos.place.FolderDisks;
import io.sluice.chaos.place.LoopDisks;
import io.sluice.chaos.place.LoopbackPlace;
import io.sluice.chaos.place.NamespacePlace;
import io.sluice.chaos.place.Place;
import io.sluice.chaos.place.proxy.ProxyPlace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// What this machine offers to a campaign: the best network and disks that it allows, and the faults that are possible on them.
///
/// Owned by the thread that runs the campaign. Closing it removes what was made.
record Ground(Place place, Disks disks, boolean canDrain) implements AutoCloseable {

    /// Takes what was asked for, or, with "auto", what is possible; what is left out is said.
    static Ground choose(Options options, Path work, Consumer<String> say) {
        Place place = place(options, work, say);
        boolean whole = false;
        try {
            boolean canDrain = options.cluster.equals("sluice") && options.brokers > 3;
            Ground ground = new Ground(place, disks(options, work, say), canDrain);
            whole = true;
            return ground;
        } finally {
            if (!whole) {
                place.close();
            }
        }
    }

    private static Place place(Options options, Path work, Consumer<String> say) {
        return switch (options.network) {
            case "loopback" -> new LoopbackPlace();
            case "proxy" -> {
                String obstacle = ProxyPlace.obstacle();
                if (obstacle != null) {
                    throw new IllegalArgumentException("No proxy: " + obstacle);
                }
                yield new ProxyPlace(options.brokers, work);
            }
            case "namespaces" -> {
                String obstacle = NamespacePlace.obstacle(options.number);
                if (obstacle != null) {
                    throw new IllegalArgumentException("No namespaces: " + obstacle);
                }
                yield new NamespacePlace(options.brokers, options.number);
            }
            case "auto" -> best(options, work, say);
            default ->
                    throw new IllegalArgumentException(
                            "Unknown network '"
                                    + options.network
                                    + "': there are auto, namespaces, proxy and loopback");
        };
    }

    private static Place best(Options options, Path work, Consumer<String> say) {
        String noNamespaces = NamespacePlace.obstacle(options.number);
        if (noNamespaces == null) {
            return new NamespacePlace(options.brokers, options.number);
        }
        String noProxy = ProxyPlace.obstacle();
        if (noProxy == null) {
            say.accept("Cuts of the network by a proxy, not of packets: " + noNamespaces);
            return new ProxyPlace(options.brokers, work);
        }
        say.accept("Without cuts of the network: " + noNamespaces + "; and " + noProxy);
        return new LoopbackPlace();
    }

    private static Disks disks(Options options, Path work, Consumer<String> say) {
        Path folder = work.resolve("disks");
        if (options.disks.equals("folders")) {
            return new FolderDisks(folder);
        }
        String obstacle = LoopDisks.obstacle(folder);
        if (obstacle == null) {
            return new LoopDisks(folder, options.brokers);
        }
        if (!options.disks.equals("auto")) {
            throw new IllegalArgumentException("No disks of their own: " + obstacle);
        }
        say.accept("Without power losses and failing disks: " + obstacle);
        return new FolderDisks(folder);
    }

    /// The faults of these names; all that are possible when none is named. A trailing '*' stands for anything, ':20' for how often they come in all. One that is named and not possible is refused.
    List<Fault> faults(List<String> names) {
        if (names.isEmpty()) {
            return Faults.all().stream().filter(this::allows).toList();
        }
        List<Fault> chosen = new ArrayList<>();
        for (String name : names) {
            int colon = name.indexOf(':');
            List<Fault> kinds = kinds(colon < 0 ? name : name.substring(0, colon));
            int times = colon < 0 ? kinds.size() : times(name, name.substring(colon + 1));
            for (int i = 0; i < times && !kinds.isEmpty(); i++) {
                chosen.add(kinds.get(i % kinds.size()));
            }
        }
        return chosen;
    }

    private static int times(String name, String text) {
        if (!text.matches("[1-9][0-9]{0,4}")) {
            throw new IllegalArgumentException(
                    "'%s': behind the ':' goes how often, such as kill-leader:20".formatted(name));
        }
        return Integer.parseInt(text);
    }

    private List<Fault> kinds(String name) {
        if (name.endsWith("*")) {
            String beginning = name.substring(0, name.length() - 1);
            return Faults.all().stream()
                    .filter(fault -> fault.kind().startsWith(beginning))
                    .filter(this::allows)
                    .toList();
        }
        Fault fault = Faults.named(name);
        if (!allows(fault)) {
            throw new IllegalArgumentException(
                    "'%s' needs %s, which there is not here"
                            .formatted(name, fault.needs().words()));
        }
        return List.of(fault);
    }

    private boolean allows(Fault fault) {
        return switch (fault.needs()) {
            case Needs.NOTHING -> true;
            case Needs.CUTS -> place.cuts() != null;
            case Needs.DISKS -> disks.troubles() != null;
            case Needs.SPARE_BROKER -> canDrain;
        };
    }

    @Override
    public void close() {
        try (place) {
            disks.close();
        }
    }
}
