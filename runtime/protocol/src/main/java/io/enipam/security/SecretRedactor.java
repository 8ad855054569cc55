package io.enipam.security;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes what looks like a secret out of a text: access keys of Alibaba Cloud, tokens, passwords, private keys. A net below
 * the rule that no secret is written in the first place, so it rather takes too much. Text that was JSON stays JSON, and a long
 * text costs no more than its length. Thread-safe.
 */
public final class SecretRedactor {
    /** What stands in the place of a secret. */
    public static final String HIDDEN = "***";

    private static final String NAMES = "(?:secret|passw(?:or)?d|passphrase|credential|token|signature"
            + "|(?:api|access|private|signing|encryption)[-_.]?key)";
    /** What may follow in a name. What has a number behind a dash is a pod rather: token-0. */
    private static final String REST = "[\\w.]{0,64}+(?:-[A-Za-z_][\\w.]{0,64}+){0,8}+";
    /** The rest of a string, up to its closing quote. */
    private static final String STRING = "[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+){0,1000}+";
    /** A field of a document up to its value. */
    private static final String FIELD = "\"[\\w.-]{0,64}?" + NAMES + "[\\w.-]{0,64}+\"\\s{0,8}+:\\s{0,8}+";
    /** A quote that ends a string of a document, and begins none. */
    private static final String ENDS = "\\s{0,80}+(?:[,:]\\s{0,80}+[\"\\[{0-9tfn-]|[}\\]\"]|\\z)";
    /** In quotes of either kind, also in those of a text within a document; or up to what ends a word. */
    private static final String VALUE = "(?:\"(?!" + ENDS + ")[^\"\\\\\\r\\n]{0,1000}+"
            + "(?:\\\\.[^\"\\\\\\r\\n]{0,1000}+){0,200}+\"?"
            + "|\\\\\"[^\"\\\\\\r\\n]{0,1000}+(?:\\\\[^\"\\r\\n][^\"\\\\\\r\\n]{0,1000}+){0,200}+(?:\\\\\")?"
            + "|'[^'\"\\\\\\r\\n]{0,1000}+'|'[^\\s\"',;&}\\]\\\\]++|[^\\s\"',;&{}\\[\\]\\\\][^\\s\"',;&}\\]\\\\]*+)";

    private static final Pattern SECRET_NAME = Pattern.compile(NAMES, Pattern.CASE_INSENSITIVE);

    /** What to hide, and what stays of it. */
    private record Rule(Pattern pattern, String replacement) {}

    private static final List<Rule> RULES = List.of(
            rule("-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\\z)", HIDDEN),
            rule("(?:LTAI|(?<![A-Z])STS\\.)[0-9A-Za-z]{8,}", HIDDEN),
            rule("eyJ[0-9A-Za-z_-]{8,}\\.[0-9A-Za-z_-]{8,}(?:\\.[0-9A-Za-z_-]*)?", HIDDEN),
            rule("(?i)(bearer\\s+)[0-9A-Za-z+/=._~-]{8,}", "$1" + HIDDEN),
            // from here on bounded and possessive: a long text must not cost more than its length
            // headers: what follows the scheme; all cookies
            rule(
                    "(?i)(authorization\\\\?[\"']?\\s{0,8}+[:=]\\s{0,8}+\\\\?[\"']?(?:[a-z][\\w-]{0,30}+[ \\t]{1,8}+)?+)"
                            + "[^\\s\"'\\\\,]++",
                    "$1" + HIDDEN),
            rule("(?i)(cookie\\\\?[\"']?\\s{0,8}+[:=]\\s{0,8}+\\\\?[\"']?)[^\\r\\n\"'\\\\]++", "$1" + HIDDEN),
            // the password of an address
            rule("(://[^\\s/:@\"'\\\\]{0,200}+:)[^\\s/\"'\\\\]{1,300}(?=@)", "$1" + HIDDEN),
            // a setting on the wire: its name in one field, its value in the next
            rule(
                    "(?i)(\"key\":\\s*+\"[^\"]{0,200}?" + NAMES + "[^\"]{0,200}+\",\\s*+\"value\":\\s*+\")" + STRING,
                    "$1" + HIDDEN),
            // a field of a document, and of one that is text within another
            rule("(?i)((?<!\\\\)" + FIELD + "\")" + STRING, "$1" + HIDDEN),
            rule(
                    "(?i)((?<!\\\\)" + FIELD + "\\[\\s{0,80}+)\"" + STRING + "\"(?:\\s{0,80}+,\\s{0,80}+\"" + STRING
                            + "\"){0,500}+",
                    "$1\"" + HIDDEN + "\""),
            // a number is no secret if it counts some: "tokens"
            rule(
                    "(?i)((?<!\\\\)\"[\\w.-]{0,64}?" + NAMES + "\"\\s{0,8}+:\\s{0,8}+)-?[0-9][0-9.e+-]*+",
                    "$1\"" + HIDDEN + "\""),
            rule(
                    "(?i)(\\\\\"[\\w.-]{0,64}?" + NAMES + "[\\w.-]{0,64}+\\\\\"\\s{0,8}+:\\s{0,8}+\\\\\")"
                            + "[^\"\\\\]*+(?:\\\\[^\"][^\"\\\\]*+){0,1000}+",
                    "$1" + HIDDEN),
            // a row of a table of settings
            rule(
                    "(?im)^([ \\t]{0,16}+[\\w.-]{0,64}?" + NAMES + REST + "(?:\\t[ \\t]*+|[ \\t]{2,}+))\\S++",
                    "$1" + HIDDEN),
            // an option with its value behind a blank
            rule("(?i)((?<![\\w-])--?[\\w.-]{0,64}?" + NAMES + REST + "[ \\t]{1,8}+)(?!-)" + VALUE, "$1" + HIDDEN),
            // an equals sign within a document may be written as its code
            rule("(?i)(" + NAMES + "[\\w.-]{0,64}+[\"']?\\s{0,8}+(?:=|\\\\u003d)\\s{0,8}+)" + VALUE, "$1" + HIDDEN),
            rule(
                    "(?im)((?!tokens:[ \\t]{1,8}+[0-9]{1,9}[ \\t]*+$)" + NAMES + REST + "'?:\\s{1,8}+)" + VALUE,
                    "$1" + HIDDEN));

    private SecretRedactor() {}

    private static Rule rule(String pattern, String replacement) {
        return new Rule(Pattern.compile(pattern), replacement);
    }

    /** Whether what has this name is to be kept from view. */
    public static boolean isSecretName(String name) {
        return SECRET_NAME.matcher(name).find();
    }

    /** The text without what looks like a secret. */
    public static String redact(String text) {
        String masked = text;
        for (Rule rule : RULES) {
            masked = rule.pattern().matcher(masked).replaceAll(rule.replacement());
        }
        return masked;
    }
}
