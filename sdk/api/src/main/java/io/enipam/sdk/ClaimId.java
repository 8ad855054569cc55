package io.enipam.sdk;

import java.util.regex.Pattern;

/**
 * Identifies a {@link Claim} for as long as what was granted is in force: a claim that comes again with the same id is the same
 * claim. For a sandbox it is {@code NETWORK/CONTAINER/INTERFACE}.
 *
 * @param text 1 to 400 characters, no blanks and no control characters
 */
public record ClaimId(String text) {
    private static final Pattern TEXT = Pattern.compile("[^\\s\\p{Cntrl}]{1,400}");

    public ClaimId {
        Text.require("claim", text, TEXT);
    }

    @Override
    public String toString() {
        return text;
    }
}
