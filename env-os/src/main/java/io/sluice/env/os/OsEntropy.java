package io.sluice.env.os;

import io.sluice.env.Entropy;
import java.security.SecureRandom;

/// The operating system's randomness: ids that it makes can be handed to clients without being guessable.
///
/// Thread-safe: `SecureRandom` is.
public final class OsEntropy implements Entropy {
    private final SecureRandom random = new SecureRandom();

    @Override
    public long nextLong() {
        return random.nextLong();
    }
}
