package io.sluice.chaos.place;

/// Takes connections between brokers away without telling anybody: what is sent just does not arrive.
///
/// Owned by the campaign's thread.
public interface Cuts {
    /// The number of the clients' place, beside the brokers from 1.
    int CLIENTS = 0;

    /// Nothing that `from` sends arrives at `to` any more. The other direction stays as it is.
    void cut(int from, int to);

    /// The metadata store's ports between two brokers, both ways; everything else goes on.
    void cutStore(int one, int other);

    /// Takes every cut back.
    void healAll();

    /// Both ways.
    default void cutBoth(int one, int other) {
        cut(one, other);
        cut(other, one);
    }
}
