package io.sluice.kafka.api.topics;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DescribeTransactionsRequest;
import io.sluice.kafka.wire.message.DescribeTransactionsResponse;
import io.sluice.kafka.wire.message.DescribeTransactionsResponse.TransactionState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/// DescribeTransactions: this broker has no transactions, so no transactional id is known.
public final class DescribeTransactionsHandler implements Handler<DescribeTransactionsRequest> {
    @Override
    public Reply<DescribeTransactionsResponse> handle(
            DescribeTransactionsRequest request, RequestContext context) {
        List<TransactionState> states = new ArrayList<>();
        for (String id : new LinkedHashSet<>(request.transactionalIds())) {
            states.add(
                    TransactionState.builder()
                            .transactionalId(id)
                            .errorCode(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND.id())
                            .build());
        }
        return Reply.of(DescribeTransactionsResponse.builder().transactionStates(states).build());
    }
}
