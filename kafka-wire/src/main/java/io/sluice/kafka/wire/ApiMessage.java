package io.sluice.kafka.wire;

/// A request or a response of one of the APIs in [ApiKey].
///
/// Implemented by generated records only. Immutable.
public interface ApiMessage extends WireMessage {
    /// The number of the API that this message belongs to, as in [ApiKey#id()].
    short apiKey();
}
