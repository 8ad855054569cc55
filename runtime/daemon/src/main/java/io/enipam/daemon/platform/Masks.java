package io.enipam.daemon.platform;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes what looks like a secret out of a text: access keys of Alibaba Cloud, tokens, passwords, private keys. A net below
 * the rule that no secret is logged in the first place.
 */
public final class Masks {
    private static final String HIDDEN = "***";

    /** What to hide, and what stays of it. */
    private record Rule(Pattern pattern, String replacement) {}

    private static final List<Rule> RULES = List.of(
            rule("-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)", HIDDEN),
            rule("\\b(LTAI|STS\\.)[0-9A-Za-z]{8,}", HIDDEN),
            rule("\\beyJ[0-9A-Za-z_-]{8,}\\.[0-9A-Za-z_-]{8,}(\\.[0-9A-Za-z_-]*)?", HIDDEN),
            rule("(?i)(bearer\\s+|authorization\\W{1,4}basic\\s+)[0-9A-Za-z+/=._~-]{8,}", "$1" + HIDDEN),
            // bounded and possessive: a long text must not cost more than its length
            rule(
                    "(?i)((?:secret|password|passwd|credential|token|access_?key|private_?key|signature)[\\w.-]{0,64}+"
                            + "\"?\\s{0,8}+[=:]\\s{0,8}+\"?)[^\\s\"',;&}\\]]++",
                    "$1" + HIDDEN));

    private Masks() {}

    private static Rule rule(String pattern, String replacement) {
        return new Rule(Pattern.compile(pattern), replacement);
    }

    /** The text without what looks like a secret. */
    public static String masked(String text) {
        String masked = text;
        for (Rule rule : RULES) {
            masked = rule.pattern().matcher(masked).replaceAll(rule.replacement());
        }
        return masked;
    }
}
