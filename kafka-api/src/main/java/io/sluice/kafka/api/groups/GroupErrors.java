package io.sluice.kafka.api.groups;

import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.Rejection;
import io.sluice.kafka.wire.ErrorCode;
import org.jspecify.annotations.Nullable;

/// Outcomes of the group machine as Kafka's error codes: the one place, exhaustive on purpose.
final class GroupErrors {
    private GroupErrors() {}

    static ErrorCode codeOf(@Nullable Rejection rejection) {
        if (rejection == null) {
            return ErrorCode.NONE;
        }
        return switch (rejection) {
            case INVALID_GROUP_ID -> ErrorCode.INVALID_GROUP_ID;
            case NAME_TOO_LONG -> ErrorCode.INVALID_REQUEST;
            case INVALID_SESSION_TIMEOUT -> ErrorCode.INVALID_SESSION_TIMEOUT;
            case UNKNOWN_MEMBER -> ErrorCode.UNKNOWN_MEMBER_ID;
            case FENCED_INSTANCE -> ErrorCode.FENCED_INSTANCE_ID;
            case ILLEGAL_GENERATION -> ErrorCode.ILLEGAL_GENERATION;
            case REBALANCE_IN_PROGRESS -> ErrorCode.REBALANCE_IN_PROGRESS;
            case INCONSISTENT_PROTOCOL -> ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
            case GROUP_FULL, TOO_MANY_GROUPS -> ErrorCode.GROUP_MAX_SIZE_REACHED;
            case SUBSCRIPTION_TOO_LARGE, ASSIGNMENT_TOO_LARGE -> ErrorCode.INVALID_REQUEST;
            case OFFSET_METADATA_TOO_LARGE -> ErrorCode.OFFSET_METADATA_TOO_LARGE;
            case GROUP_NOT_FOUND -> ErrorCode.GROUP_ID_NOT_FOUND;
            case GROUP_NOT_EMPTY -> ErrorCode.NON_EMPTY_GROUP;
            case TOPIC_IN_USE -> ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC;
        };
    }

    static ErrorCode codeOf(Unavailability unavailability) {
        return switch (unavailability) {
            case LOADING -> ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
            case NOT_LEADER, STOPPING -> ErrorCode.NOT_COORDINATOR;
            case LOG_FULL, NOT_ENOUGH_REPLICAS, LOG_OFFLINE, BUSY ->
                    ErrorCode.COORDINATOR_NOT_AVAILABLE;
            case TOO_LARGE -> ErrorCode.INVALID_COMMIT_OFFSET_SIZE;
        };
    }
}
