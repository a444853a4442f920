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
        Place place = place(options, say);
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

    private static Place place(Options options, Consumer<String> say) {
        if (options.network.equals("loopback")) {
            return new LoopbackPlace();
        }
        String obstacle = NamespacePlace.obstacle(options.number);
        if (obstacle == null) {
            return new NamespacePlace(options.brokers, options.number);
        }
        if (!options.network.equals("auto")) {
            throw new IllegalArgumentException("No namespaces: " + obstacle);
        }
        say.accept("Without cuts of the network: " + obstacle);
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

    /// The faults of these names (a trailing '*' stands for anything); all that are possible when none is named. One that is named and not possible is refused.
    List<Fault> faults(List<String> names) {
        if (names.isEmpty()) {
            return Faults.all().stream().filter(this::allows).toList();
        }
        List<Fault> chosen = new ArrayList<>();
        for (String name : names) {
            if (name.endsWith("*")) {
                String beginning = name.substring(0, name.length() - 1);
                Faults.all().stream()
                        .filter(fault -> fault.kind().startsWith(beginning))
                        .filter(this::allows)
                        .forEach(chosen::add);
            } else {
                Fault fault = Faults.named(name);
                if (!allows(fault)) {
                    throw new IllegalArgumentException(
                            "'%s' needs %s, which there is not here"
                                    .formatted(name, fault.needs().words()));
                }
                chosen.add(fault);
            }
        }
        return chosen;
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
