package io.enipam.sdk;

import io.enipam.sdk.CommandSpec.Impact;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A method of an {@link RpcService}. Immutable and thread-safe. */
public sealed interface RpcMethod {
    /** As in the file that describes the service: {@code [A-Z][A-Za-z0-9]{0,63}}. */
    String name();

    /** Who may call it: READ for members of the group that may inspect, too; the others are audited. */
    Impact impact();

    /**
     * A method with one request and one reply.
     *
     * @param answer makes the reply, and throws {@link RpcException}; has 5 s if it is READ, otherwise 30 s. May be called several times at
     *     once
     */
    record Unary(String name, Impact impact, Function<RpcCall, byte[]> answer) implements RpcMethod {}

    /**
     * A method that changes nothing, with one request and a stream of replies.
     *
     * @param open makes the stream, and throws {@link RpcException}; the second argument is run when there may be more of it. Has 5 s
     */
    record Streaming(String name, BiFunction<RpcCall, Runnable, Feed<byte[]>> open) implements RpcMethod {
        @Override
        public Impact impact() {
            return Impact.READ;
        }
    }
}
