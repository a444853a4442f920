package io.sluice.kafka.api.topics;

import io.sluice.controller.TopicOutcome;
import io.sluice.kafka.wire.ErrorCode;

/// Refusals of the controller as Kafka's error codes: the one place, exhaustive on purpose.
final class TopicErrors {
    private TopicErrors() {}

    static ErrorCode codeOf(TopicOutcome.Reason reason) {
        return switch (reason) {
            case INVALID_NAME -> ErrorCode.INVALID_TOPIC_EXCEPTION;
            case ALREADY_EXISTS -> ErrorCode.TOPIC_ALREADY_EXISTS;
            case UNKNOWN_TOPIC -> ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
            case INVALID_PARTITIONS -> ErrorCode.INVALID_PARTITIONS;
            case INVALID_REPLICATION_FACTOR -> ErrorCode.INVALID_REPLICATION_FACTOR;
            case INVALID_ASSIGNMENT -> ErrorCode.INVALID_REPLICA_ASSIGNMENT;
            case INVALID_SETTING -> ErrorCode.INVALID_CONFIG;
            case INTERNAL_TOPIC -> ErrorCode.INVALID_REQUEST;
            case NOT_CONTROLLER -> ErrorCode.NOT_CONTROLLER;
            case UNKNOWN_PARTITION -> ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
            case UNKNOWN_BROKER -> ErrorCode.BROKER_ID_NOT_REGISTERED;
            case NO_MOVE -> ErrorCode.NO_REASSIGNMENT_IN_PROGRESS;
            case ELECTION_NOT_NEEDED -> ErrorCode.ELECTION_NOT_NEEDED;
            case NO_LEADER_POSSIBLE -> ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE;
            case BROKER_IN_USE -> ErrorCode.INVALID_REQUEST;
            case BUSY -> ErrorCode.THROTTLING_QUOTA_EXCEEDED;
            case STORE_FAILED -> ErrorCode.KAFKA_STORAGE_ERROR;
        };
    }
}
