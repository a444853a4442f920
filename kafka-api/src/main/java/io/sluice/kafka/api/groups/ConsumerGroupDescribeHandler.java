package io.sluice.kafka.api.groups;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ConsumerGroupDescribeRequest;
import io.sluice.kafka.wire.message.ConsumerGroupDescribeResponse;
import io.sluice.kafka.wire.message.ConsumerGroupDescribeResponse.DescribedGroup;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/// ConsumerGroupDescribe (KIP-848): groups here use the classic protocol, so clients are sent on to DescribeGroups.
public final class ConsumerGroupDescribeHandler implements Handler<ConsumerGroupDescribeRequest> {
    @Override
    public Reply<ConsumerGroupDescribeResponse> handle(
            ConsumerGroupDescribeRequest request, RequestContext context) {
        List<DescribedGroup> groups = new ArrayList<>();
        for (String group : new LinkedHashSet<>(request.groupIds())) {
            groups.add(
                    DescribedGroup.builder()
                            .groupId(group)
                            .errorCode(ErrorCode.GROUP_ID_NOT_FOUND.id())
                            .errorMessage(
                                    "'"
                                            + group
                                            + "' is not a consumer group of the new protocol; ask with DescribeGroups.")
                            .build());
        }
        return Reply.of(ConsumerGroupDescribeResponse.builder().groups(groups).build());
    }
}
