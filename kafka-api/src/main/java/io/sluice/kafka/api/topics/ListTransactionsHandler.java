package io.sluice.kafka.api.topics;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.message.ListTransactionsRequest;
import io.sluice.kafka.wire.message.ListTransactionsResponse;

/// ListTransactions: this broker has no transactions, so the list is empty.
public final class ListTransactionsHandler implements Handler<ListTransactionsRequest> {
    @Override
    public Reply<ListTransactionsResponse> handle(
            ListTransactionsRequest request, RequestContext context) {
        return Reply.of(ListTransactionsResponse.builder().build());
    }
}
