package io.sluice.simulation.cluster;

import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.Frame;
import io.sluice.kafka.wire.Messages;
import io.sluice.kafka.wire.RequestHeader;
import io.sluice.kafka.wire.ResponseHeader;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.WireWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;

/// A network on which what a broker says to others, or is told by them, is not what was said: a broker with a mistake, as the others see it.
record RewritingNetwork(Network inner, Rewriting rewriting) implements Network {
    private static final int LENGTH_BYTES = 4;

    interface Rewriting {
        default ApiRequest asked(ApiRequest request) {
            return request;
        }

        default ApiResponse answered(ApiRequest request, ApiResponse response) {
            return response;
        }
    }

    private record Question(RequestHeader header, ApiRequest request) {}

    @Override
    public Link connect(String host, int port, Mailbox home, Listener listener) {
        ArrayDeque<Question> questions = new ArrayDeque<>();
        Link link = inner.connect(host, port, home, new Answers(questions, listener));
        return new Link() {
            @Override
            public void send(ByteBuffer frame) {
                WireReader in =
                        new WireReader(
                                frame.slice(
                                        frame.position() + LENGTH_BYTES,
                                        frame.remaining() - LENGTH_BYTES));
                RequestHeader header = RequestHeader.read(in);
                ApiRequest request =
                        rewriting.asked(Messages.readRequest(header.api(), header.version(), in));
                questions.add(new Question(header, request));
                WireWriter out = new WireWriter();
                Frame.writeRequest(out, header, request);
                link.send(bytesOf(out));
            }

            @Override
            public void close() {
                link.close();
            }
        };
    }

    private final class Answers implements Listener {
        private final ArrayDeque<Question> questions;
        private final Listener listener;

        Answers(ArrayDeque<Question> questions, Listener listener) {
            this.questions = questions;
            this.listener = listener;
        }

        @Override
        public void received(ByteBuffer frame) {
            Question question = Objects.requireNonNull(questions.poll());
            RequestHeader header = question.header();
            WireReader in = new WireReader(frame);
            ResponseHeader.read(in, header.api(), header.version());
            ApiResponse answer =
                    rewriting.answered(
                            question.request(),
                            Messages.readResponse(header.api(), header.version(), in));
            WireWriter out = new WireWriter();
            Frame.writeResponse(out, header, answer);
            ByteBuffer whole = bytesOf(out);
            listener.received(whole.slice(LENGTH_BYTES, whole.remaining() - LENGTH_BYTES));
        }

        @Override
        public void closed(boolean refused, String why) {
            listener.closed(refused, why);
        }
    }

    private static ByteBuffer bytesOf(WireWriter out) {
        ByteBuffer frame = ByteBuffer.allocate(out.sizeInBytes());
        for (WirePart part : out.parts()) {
            switch (part) {
                case WirePart.Bytes(ByteBuffer bytes) -> frame.put(bytes);
                case WirePart.Stored stored ->
                        throw new IllegalArgumentException("no file is sent here: " + stored);
            }
        }
        return frame.flip();
    }
}
