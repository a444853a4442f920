package io.sluice.kafka.api.data;

import io.sluice.kafka.wire.ErrorCode;
import io.sluice.log.AppendResult;
import io.sluice.partition.Unavailable;

/// Outcomes of partitions as Kafka's error codes: the one place, exhaustive on purpose.
public final class DataErrors {
    private DataErrors() {}

    static ErrorCode codeOf(AppendResult.Reason reason) {
        return switch (reason) {
            case CORRUPT_MESSAGE -> ErrorCode.CORRUPT_MESSAGE;
            case MESSAGE_TOO_LARGE -> ErrorCode.MESSAGE_TOO_LARGE;
            case INVALID_TIMESTAMP -> ErrorCode.INVALID_TIMESTAMP;
            case INVALID_RECORD -> ErrorCode.INVALID_RECORD;
            case UNSUPPORTED_FORMAT -> ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT;
            case UNSUPPORTED_COMPRESSION -> ErrorCode.UNSUPPORTED_COMPRESSION_TYPE;
            case OUT_OF_ORDER_SEQUENCE -> ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER;
            case DUPLICATE_SEQUENCE -> ErrorCode.DUPLICATE_SEQUENCE_NUMBER;
            case STALE_PRODUCER_EPOCH -> ErrorCode.INVALID_PRODUCER_EPOCH;
            case UNKNOWN_PRODUCER_ID -> ErrorCode.UNKNOWN_PRODUCER_ID;
            case OFFSETS_DO_NOT_CONTINUE -> ErrorCode.INVALID_REQUEST;
            case DISK_FULL, OFFLINE -> ErrorCode.KAFKA_STORAGE_ERROR;
        };
    }

    /// Also for handlers of other packages that touch partitions.
    public static ErrorCode codeOf(Unavailable why) {
        return switch (why) {
            case NOT_HERE, NOT_LEADER -> ErrorCode.NOT_LEADER_OR_FOLLOWER;
            case OFFLINE -> ErrorCode.KAFKA_STORAGE_ERROR;
            case NOT_ENOUGH_REPLICAS -> ErrorCode.NOT_ENOUGH_REPLICAS;
            case NOT_ENOUGH_REPLICAS_AFTER_APPEND -> ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND;
            case TIMED_OUT -> ErrorCode.REQUEST_TIMED_OUT;
            case FENCED_LEADER_EPOCH -> ErrorCode.FENCED_LEADER_EPOCH;
            case UNKNOWN_LEADER_EPOCH -> ErrorCode.UNKNOWN_LEADER_EPOCH;
            case STALE_BROKER_EPOCH -> ErrorCode.STALE_BROKER_EPOCH;
        };
    }
}
