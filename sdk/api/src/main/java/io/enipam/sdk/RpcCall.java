package io.enipam.sdk;

import java.time.Instant;

/** One call of a method of an {@link RpcService}. Thread-safe. */
public interface RpcCall {
    /** The request as it came, at most a mebibyte; whether it is a message is for the plugin to find out. The plugin does not change it. */
    byte[] request();

    /** When the caller waits no more, and the host no more than that; far away for a stream that ends when the caller leaves. */
    Instant deadline();

    /** A call for a test. */
    static RpcCall of(byte[] request, Instant deadline) {
        record Made(byte[] request, Instant deadline) implements RpcCall {}
        return new Made(request, deadline);
    }
}
