package io.sluice.cli;

import io.sluice.client.Delivery;
import io.sluice.client.Preset;
import io.sluice.client.Profile;
import java.util.Iterator;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// The two choices that a command passes to the client library.
///
/// Owned by the main thread.
public final class PresetOptions {
    @CommandLine.Option(
            names = "--delivery",
            paramLabel = "DELIVERY",
            defaultValue = "at-least-once",
            converter = DeliveryLabel.class,
            completionCandidates = Deliveries.class,
            description = "${COMPLETION-CANDIDATES}. Default: at-least-once.")
    Delivery delivery = Delivery.AT_LEAST_ONCE;

    @CommandLine.Option(
            names = "--profile",
            paramLabel = "PROFILE",
            defaultValue = "balanced",
            converter = ProfileLabel.class,
            completionCandidates = Profiles.class,
            description = "${COMPLETION-CANDIDATES}. Default: balanced.")
    Profile profile = Profile.BALANCED;

    public Preset preset() {
        return new Preset(delivery, profile);
    }

    public Delivery delivery() {
        return delivery;
    }

    public Profile profile() {
        return profile;
    }

    static final class DeliveryLabel implements ITypeConverter<Delivery> {
        @Override
        public Delivery convert(String value) {
            try {
                return Delivery.labelled(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    static final class ProfileLabel implements ITypeConverter<Profile> {
        @Override
        public Profile convert(String value) {
            try {
                return Profile.labelled(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    static final class Deliveries implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(Delivery.values()).map(Delivery::label).iterator();
        }
    }

    static final class Profiles implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(Profile.values()).map(Profile::label).iterator();
        }
    }
}
