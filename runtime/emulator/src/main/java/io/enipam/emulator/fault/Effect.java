package io.enipam.emulator.fault;

import io.enipam.emulator.api.ApiError;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** What a rule does to a call. Immutable. */
public sealed interface Effect {
    /** What decides how the call ends: of these a call gets one at most. */
    sealed interface Ending extends Effect {}

    /**
     * The call takes longer, by an hour at most. The time passes before the work is done, so a caller that gives up
     * early sees the work done after it has looked.
     */
    record Delay(Duration by) implements Effect {
        private static final Duration MOST = Duration.ofHours(1);

        public Delay {
            if (by.isNegative() || by.isZero() || by.compareTo(MOST) > 0) {
                throw new IllegalArgumentException("a delay must be more than zero and at most an hour, not " + by);
            }
        }
    }

    /**
     * The status that the call puts its ENI in (Attaching, Detaching, Deleting) does not pass by itself.
     *
     * @param untilReissued whether the same call again makes it pass, as with the real cloud's rare stuck ENI;
     *     otherwise it lasts until an operator releases it. An ENI stuck in Attaching takes no second attach and waits
     *     for that
     */
    record Stick(boolean untilReissued) implements Effect {}

    /** The call is answered with an error of HTTP status 400 to 599, after the work is done or instead of it. */
    record Fail(int httpStatus, String code, String message, boolean afterWork) implements Ending {
        /** An error that the cloud is known to answer with, empty if the code is not known. */
        public static Optional<Fail> known(String code, boolean afterWork) {
            return ApiError.find(code)
                    .map(error -> new Fail(error.httpStatus(), code, error.sampleMessage(), afterWork));
        }

        public Fail {
            if (httpStatus < 400 || httpStatus > 599) {
                throw new IllegalArgumentException("an error's HTTP status must be 400 to 599, not " + httpStatus);
            }
            if (!code.matches("[A-Za-z0-9._]{1,100}")) {
                throw new IllegalArgumentException(
                        "an error code must be 1 to 100 letters, digits and dots, not '" + code + "'");
            }
        }
    }

    /** The connection is closed without an answer, and nothing was done. */
    record DropRequest() implements Ending {}

    /** The work is done, and the connection is closed without an answer. */
    record DropAnswer() implements Ending {}

    /**
     * The work is done, and of the answer only the first part arrives.
     *
     * @param at where it is cut
     * @param honestLength whether Content-Length says how long the whole body would have been, so that a client can
     *     detect the cut; otherwise it says how long the part is, and only the content shows it
     */
    record Tear(TruncationPoint at, boolean honestLength) implements Ending {}

    /** This call and all others of the API are refused until the next minute begins, as by a flow control. */
    record Throttle() implements Ending {}

    /** Where an answer is cut. */
    enum TruncationPoint {
        /** Before the first byte of the body. */
        START,
        STRING,
        /** Anywhere outside a string. */
        ELSEWHERE;

        /**
         * How many characters of a text remain: {@code draw} chooses among the places there are in JSON; of any other
         * text the half remains.
         */
        public int in(String text, long draw) {
            if (this == START) {
                return 0;
            }
            if (!text.startsWith("{")) {
                return text.length() / 2;
            }
            boolean[] inside = insides(text);
            IntPredicate fits = this == STRING ? i -> inside[i] : i -> !inside[i];
            int[] places = IntStream.range(1, text.length())
                    .filter(fits)
                    // half of a surrogate pair is no text that a server could have sent
                    .filter(i -> !Character.isLowSurrogate(text.charAt(i)))
                    .toArray();
            return places.length == 0 ? text.length() / 2 : places[(int) Math.floorMod(draw, (long) places.length)];
        }

        /** For each place, whether a cut before its character is inside a string. */
        private static boolean[] insides(String text) {
            boolean[] inside = new boolean[text.length()];
            boolean string = false;
            boolean escaped = false;
            for (int i = 0; i < text.length(); i++) {
                inside[i] = string;
                char c = text.charAt(i);
                if (escaped) {
                    escaped = false;
                } else if (c == '\\') {
                    escaped = string;
                } else if (c == '"') {
                    string = !string;
                }
            }
            return inside;
        }
    }
}
