package io.enipam.sdk;

import java.time.Duration;

/** What a {@link Voter} says of a {@link Claim}: yes, no, or that it is asked again. What its transaction wrote is kept, whatever it says. */
public sealed interface Vote permits Vote.Yes, Vote.No, Vote.Later {
    /** The claim may have it, as far as this voter goes. */
    record Yes() implements Vote {}

    /**
     * The claim is refused, whatever others say.
     *
     * @param why for the claim's owner, one line
     */
    record No(ErrorKind kind, String why) implements Vote {}

    /**
     * It cannot say yet, and is asked again after the time, when it is opened again, and after a restart.
     *
     * @param after above zero
     * @param why for an operator, one line
     */
    record Later(Duration after, String why) implements Vote {
        public Later {
            if (after.isNegative() || after.isZero()) {
                throw new IllegalArgumentException("later is after more than no time, got " + after);
            }
        }
    }

    static Vote yes() {
        return new Yes();
    }

    static Vote no(ErrorKind kind, String why) {
        return new No(kind, why);
    }

    static Vote later(Duration after, String why) {
        return new Later(after, why);
    }
}
