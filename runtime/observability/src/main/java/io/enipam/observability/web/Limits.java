package io.enipam.observability.web;

import java.time.Duration;

/**
 * What a client may take.
 *
 * @param connections open at a time; for a further one the oldest is closed that has asked for nothing
 * @param whole how long a connection lives at most, whatever it does
 * @param line the longest request line, in characters
 * @param headers all headers together, in characters
 */
record Limits(int connections, Duration whole, int line, int headers) {
    static Limits usual() {
        return new Limits(32, Duration.ofSeconds(15), 2_048, 8_192);
    }
}
