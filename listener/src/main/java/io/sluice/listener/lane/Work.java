package io.sluice.listener.lane;

/// What is done with a message. Returning means done; throwing means failed, and the lane's failure policy says what then.
@FunctionalInterface
public interface Work {
    void on(Job job) throws Exception;
}
