package io.sluice.kafka.wire;

import org.jspecify.annotations.Nullable;

/// The error codes of the Kafka protocol, each with a sentence for people. Immutable.
///
/// The names and numbers are part of the protocol; the sentences are what to answer where a response has room for
/// a message and nothing more precise is known.
public enum ErrorCode {
    UNKNOWN_SERVER_ERROR(-1, "The broker failed in a way it did not expect; its log says how."),
    NONE(0, "No error."),
    OFFSET_OUT_OF_RANGE(1, "The partition has no such offset (any more, or yet)."),
    CORRUPT_MESSAGE(2, "A record batch does not match its checksum, its size or its format."),
    UNKNOWN_TOPIC_OR_PARTITION(3, "This broker has no such topic or partition."),
    INVALID_FETCH_SIZE(4, "The number of bytes to fetch makes no sense."),
    LEADER_NOT_AVAILABLE(5, "The partition has no leader at the moment; try again."),
    NOT_LEADER_OR_FOLLOWER(
            6, "The partition is led, or kept, by another broker; ask for metadata again."),
    REQUEST_TIMED_OUT(7, "The request was not done in the time allowed for it."),
    BROKER_NOT_AVAILABLE(8, "The broker is not available."),
    REPLICA_NOT_AVAILABLE(9, "The replica asked for is not available."),
    MESSAGE_TOO_LARGE(10, "A record batch is larger than the topic allows."),
    STALE_CONTROLLER_EPOCH(11, "Another controller has taken over meanwhile."),
    OFFSET_METADATA_TOO_LARGE(12, "The text that comes with a committed offset is too long."),
    NETWORK_EXCEPTION(13, "The connection ended before the answer came."),
    COORDINATOR_LOAD_IN_PROGRESS(14, "The coordinator is still reading its state; try again."),
    COORDINATOR_NOT_AVAILABLE(15, "No coordinator is available at the moment; try again."),
    NOT_COORDINATOR(16, "Another broker coordinates this; look the coordinator up again."),
    INVALID_TOPIC_EXCEPTION(
            17, "The name is no valid topic name, or the topic may not be used this way."),
    RECORD_LIST_TOO_LARGE(18, "The record batches are larger than a segment of the log."),
    NOT_ENOUGH_REPLICAS(
            19, "Fewer replicas are in sync than the topic demands; nothing was written."),
    NOT_ENOUGH_REPLICAS_AFTER_APPEND(
            20, "The records were written, but to fewer in-sync replicas than the topic demands."),
    INVALID_REQUIRED_ACKS(21, "The acks of a produce request must be 0, 1 or all (-1)."),
    ILLEGAL_GENERATION(22, "The generation of the group is another one by now; join again."),
    INCONSISTENT_GROUP_PROTOCOL(
            23, "The member has no protocol in common with the rest of its group."),
    INVALID_GROUP_ID(24, "The name is no valid group name."),
    UNKNOWN_MEMBER_ID(25, "The group has no such member."),
    INVALID_SESSION_TIMEOUT(26, "The session time-out lies outside of what the broker allows."),
    REBALANCE_IN_PROGRESS(27, "The group is rebalancing; join again."),
    INVALID_COMMIT_OFFSET_SIZE(28, "The offsets to commit are too large together."),
    TOPIC_AUTHORIZATION_FAILED(29, "The client may not do this with the topic."),
    GROUP_AUTHORIZATION_FAILED(30, "The client may not do this with the group."),
    CLUSTER_AUTHORIZATION_FAILED(31, "The client may not do this with the cluster."),
    INVALID_TIMESTAMP(32, "The timestamp of a record lies outside of what the topic allows."),
    UNSUPPORTED_SASL_MECHANISM(33, "The broker does not offer this way to log in."),
    ILLEGAL_SASL_STATE(34, "The request is not possible at this point of the login."),
    UNSUPPORTED_VERSION(35, "The broker does not offer this version of the API."),
    TOPIC_ALREADY_EXISTS(36, "A topic of this name exists already."),
    INVALID_PARTITIONS(37, "The number of partitions is not possible."),
    INVALID_REPLICATION_FACTOR(
            38, "The number of replicas is below 1 or above the number of brokers."),
    INVALID_REPLICA_ASSIGNMENT(39, "The assignment of replicas to brokers is not possible."),
    INVALID_CONFIG(40, "A setting is unknown or has a value that is not possible."),
    NOT_CONTROLLER(41, "Another broker is the controller."),
    INVALID_REQUEST(42, "The request contradicts itself or the protocol."),
    UNSUPPORTED_FOR_MESSAGE_FORMAT(43, "The format of the stored records does not support this."),
    POLICY_VIOLATION(44, "A policy of this cluster forbids it."),
    OUT_OF_ORDER_SEQUENCE_NUMBER(45, "The batch before this one of the same producer is missing."),
    DUPLICATE_SEQUENCE_NUMBER(46, "The broker has this batch of the producer already."),
    INVALID_PRODUCER_EPOCH(47, "A newer producer with the same id has taken over."),
    INVALID_TXN_STATE(48, "The transaction is not in a state in which this is possible."),
    INVALID_PRODUCER_ID_MAPPING(49, "The producer id belongs to another transactional id."),
    INVALID_TRANSACTION_TIMEOUT(50, "The transaction time-out is longer than the broker allows."),
    CONCURRENT_TRANSACTIONS(51, "The transaction before is still being finished; try again."),
    TRANSACTION_COORDINATOR_FENCED(52, "Another coordinator of this transaction has taken over."),
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED(53, "The client may not use this transactional id."),
    SECURITY_DISABLED(54, "The broker runs without access control."),
    OPERATION_NOT_ATTEMPTED(55, "Not tried, because another part of the same request failed."),
    KAFKA_STORAGE_ERROR(56, "The disk of this partition failed."),
    LOG_DIR_NOT_FOUND(57, "The broker has no such data directory."),
    SASL_AUTHENTICATION_FAILED(58, "The login failed."),
    UNKNOWN_PRODUCER_ID(59, "The broker knows nothing of this producer any more."),
    REASSIGNMENT_IN_PROGRESS(60, "The partition is being moved."),
    DELEGATION_TOKEN_AUTH_DISABLED(61, "The broker does not offer delegation tokens."),
    DELEGATION_TOKEN_NOT_FOUND(62, "There is no such delegation token."),
    DELEGATION_TOKEN_OWNER_MISMATCH(63, "The delegation token belongs to somebody else."),
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED(
            64, "Delegation tokens may not be asked for over this kind of connection."),
    DELEGATION_TOKEN_AUTHORIZATION_FAILED(
            65, "The client may not do this with the delegation token."),
    DELEGATION_TOKEN_EXPIRED(66, "The delegation token has expired."),
    INVALID_PRINCIPAL_TYPE(67, "The kind of principal is not supported."),
    NON_EMPTY_GROUP(68, "The group still has members."),
    GROUP_ID_NOT_FOUND(69, "There is no such group."),
    FETCH_SESSION_ID_NOT_FOUND(70, "There is no such fetch session; begin a new one."),
    INVALID_FETCH_SESSION_EPOCH(
            71, "The fetch session has lost count of its requests; begin a new one."),
    LISTENER_NOT_FOUND(
            72, "The leader has no listener of the kind that the client is connected to."),
    TOPIC_DELETION_DISABLED(73, "Topics may not be deleted here."),
    FENCED_LEADER_EPOCH(
            74, "The client knows an older leader than this broker does; ask for metadata again."),
    UNKNOWN_LEADER_EPOCH(75, "The client knows a newer leader than this broker does; try again."),
    UNSUPPORTED_COMPRESSION_TYPE(
            76, "This version of the API cannot carry records with this compression."),
    STALE_BROKER_EPOCH(77, "The broker has registered anew meanwhile."),
    OFFSET_NOT_AVAILABLE(
            78, "A new leader does not know yet how far the partition is committed; try again."),
    MEMBER_ID_REQUIRED(79, "Join again with the member id that came with this answer."),
    PREFERRED_LEADER_NOT_AVAILABLE(80, "The preferred leader is not available."),
    GROUP_MAX_SIZE_REACHED(81, "The group has as many members as it may have."),
    FENCED_INSTANCE_ID(82, "Another member has taken over this group instance id."),
    ELIGIBLE_LEADERS_NOT_AVAILABLE(83, "No replica that could lead is available."),
    ELECTION_NOT_NEEDED(84, "The partition is led by the right replica already."),
    NO_REASSIGNMENT_IN_PROGRESS(85, "The partition is not being moved."),
    GROUP_SUBSCRIBED_TO_TOPIC(86, "The group still reads the topic."),
    INVALID_RECORD(87, "The broker refused a record."),
    UNSTABLE_OFFSET_COMMIT(88, "Offsets of an unfinished transaction are pending; try again."),
    THROTTLING_QUOTA_EXCEEDED(89, "The client asked for more than its quota; try again later."),
    PRODUCER_FENCED(90, "A newer producer with the same transactional id has taken over."),
    RESOURCE_NOT_FOUND(91, "The request names something that does not exist."),
    DUPLICATE_RESOURCE(92, "The request names the same thing twice."),
    UNACCEPTABLE_CREDENTIAL(93, "The credential does not meet the demands on credentials."),
    INCONSISTENT_VOTER_SET(94, "Sender and receiver disagree about who votes."),
    INVALID_UPDATE_VERSION(95, "The version to update to is not possible."),
    FEATURE_UPDATE_FAILED(96, "The features could not be updated."),
    PRINCIPAL_DESERIALIZATION_FAILURE(
            97, "The principal of a forwarded request could not be read."),
    SNAPSHOT_NOT_FOUND(98, "There is no such snapshot."),
    POSITION_OUT_OF_RANGE(99, "The snapshot has no such position."),
    UNKNOWN_TOPIC_ID(100, "This broker has no topic with this id."),
    DUPLICATE_BROKER_REGISTRATION(101, "Another broker with this id is running."),
    BROKER_ID_NOT_REGISTERED(102, "No broker with this id is registered."),
    INCONSISTENT_TOPIC_ID(103, "The topic of this name has another id."),
    INCONSISTENT_CLUSTER_ID(104, "The request was meant for another cluster."),
    TRANSACTIONAL_ID_NOT_FOUND(105, "There is no such transactional id."),
    FETCH_SESSION_TOPIC_ID_ERROR(106, "The fetch session mixes topic names and topic ids."),
    INELIGIBLE_REPLICA(107, "One of the replicas may not be in the in-sync set."),
    NEW_LEADER_ELECTED(108, "The change was made, and the partition has another leader by it."),
    OFFSET_MOVED_TO_TIERED_STORAGE(109, "The offset lies in the archive only."),
    FENCED_MEMBER_EPOCH(
            110, "The member is out of its group; give up all partitions and join again."),
    UNRELEASED_INSTANCE_ID(
            111, "Another member still uses this group instance id and has to leave first."),
    UNSUPPORTED_ASSIGNOR(112, "The group does not support this way to assign partitions."),
    STALE_MEMBER_EPOCH(113, "The member has a newer epoch; use the one of its last heartbeat."),
    MISMATCHED_ENDPOINT_TYPE(114, "The request was sent to a listener of the wrong kind."),
    UNSUPPORTED_ENDPOINT_TYPE(115, "This kind of listener is not supported."),
    UNKNOWN_CONTROLLER_ID(116, "There is no controller with this id."),
    UNKNOWN_SUBSCRIPTION_ID(117, "The client's telemetry subscription is not the current one."),
    TELEMETRY_TOO_LARGE(118, "The client's telemetry is larger than the broker takes."),
    INVALID_REGISTRATION(119, "The controller refused the registration of the broker."),
    TRANSACTION_ABORTABLE(
            120, "The transaction failed; abort it to go on with the same transactional id."),
    INVALID_RECORD_STATE(121, "The record is not in a state in which it can be acknowledged."),
    SHARE_SESSION_NOT_FOUND(122, "There is no such share session; begin a new one."),
    INVALID_SHARE_SESSION_EPOCH(
            123, "The share session has lost count of its requests; begin a new one."),
    FENCED_STATE_EPOCH(124, "The state of the share group is newer than the request knows."),
    INVALID_VOTER_KEY(125, "The request was meant for another voter."),
    DUPLICATE_VOTER(126, "The voter is one of the voters already."),
    VOTER_NOT_FOUND(127, "The voter is none of the voters."),
    INVALID_REGULAR_EXPRESSION(128, "The regular expression has a mistake in it."),
    REBOOTSTRAP_REQUIRED(
            129,
            "What the client knows of the cluster is too old; begin with the bootstrap servers again."),
    STREAMS_INVALID_TOPOLOGY(130, "The topology is not possible."),
    STREAMS_INVALID_TOPOLOGY_EPOCH(131, "The epoch of the topology is not possible."),
    STREAMS_TOPOLOGY_FENCED(132, "A newer topology has taken over."),
    SHARE_SESSION_LIMIT_REACHED(
            133, "The broker has as many share sessions as it may have; try again later."),
    GROUP_DELETION_FAILED(
            134, "The group could not be deleted; its own entry in the answer says why."),
    STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED(
            135, "The description of the topology could not be stored; the answer says why."),
    CONTROLLER_ID_NOT_REGISTERED(136, "No controller with this id is registered.");

    private static final int LOWEST = -1;
    private static final ErrorCode[] BY_ID = values();

    private final short id;
    private final String sentence;

    ErrorCode(int id, String sentence) {
        this.id = (short) id;
        this.sentence = sentence;
    }

    /// The error with that number, or null if there is none.
    public static @Nullable ErrorCode find(int id) {
        int index = id - LOWEST;
        return index >= 0 && index < BY_ID.length ? BY_ID[index] : null;
    }

    /// The number that stands for this error on the wire.
    public short id() {
        return id;
    }

    /// What happened, in general, and what to do about it where that is known.
    public String sentence() {
        return sentence;
    }
}
