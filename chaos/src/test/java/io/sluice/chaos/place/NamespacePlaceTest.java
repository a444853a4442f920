package io.sluice.chaos.place;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// Skipped where the machine has no network namespaces.
class NamespacePlaceTest extends CutsContract {
    // Away from the number that `sluice chaos` takes when nobody chooses one.
    private final int number = ThreadLocalRandom.current().nextInt(100, 250);

    @Override
    @Nullable String obstacle() {
        return NamespacePlace.obstacle(number);
    }

    @Override
    Place place(int brokers) {
        return new NamespacePlace(brokers, number);
    }
}
