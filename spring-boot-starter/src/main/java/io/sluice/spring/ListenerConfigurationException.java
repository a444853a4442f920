package io.sluice.spring;

/// Says which settings contradict each other, with their names and values, and what to do.
public final class ListenerConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    /// @param contradiction what is wrong, with the names and values of the settings
    /// @param action what to do
    public ListenerConfigurationException(String contradiction, String action) {
        super(contradiction);
        this.action = action;
    }

    public String action() {
        return action;
    }

    @Override
    public String getMessage() {
        return super.getMessage() + " " + action;
    }

    String contradiction() {
        return String.valueOf(super.getMessage());
    }
}
