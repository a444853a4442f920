package io.sluice.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/// Shows contradicting settings as Spring Boot shows other mistakes: what is wrong and what to do, without a stack trace.
final class ListenerConfigurationAnalyzer
        extends AbstractFailureAnalyzer<ListenerConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, ListenerConfigurationException cause) {
        return new FailureAnalysis(cause.contradiction(), cause.action(), cause);
    }
}
