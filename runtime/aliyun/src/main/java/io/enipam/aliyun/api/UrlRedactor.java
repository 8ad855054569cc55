package io.enipam.aliyun.api;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What may be shown of the addresses that a call went to. The query of a signed call holds the access key id, the
 * signature and often the token of a session: it belongs in no message, event or log.
 */
public final class UrlRedactor {
    /** From the question mark on, if a name and a value follow. */
    private static final Pattern QUERY = Pattern.compile("/?\\?[^\\s?]*=\\S*");
    /** What a torn or oddly written text may hold without the question mark before it. */
    private static final Pattern SECRET = Pattern.compile(
            "(?:[?&,;]\\s*)?\\b(?:OSS)?(?:AccessKeyId|AccessKeySecret|SecurityToken|Signature|SignatureNonce)=[^\\s&]*",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern HOST = Pattern.compile("https?://([^\\s/?#]+)");

    private UrlRedactor() {}

    /** The text without the query of any URL in it. */
    public static String withoutQuery(String text) {
        return SECRET.matcher(QUERY.matcher(text).replaceAll("")).replaceAll("");
    }

    /** Host and port of the first URL in the text; {@code otherwise} if there is none. */
    public static String host(String text, String otherwise) {
        Matcher host = HOST.matcher(text);
        return host.find() ? host.group(1) : otherwise;
    }
}
