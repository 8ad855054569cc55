package io.enipam.emulator.auth;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How both signatures spell parameters: RFC 3986, only letters, digits and {@code -_.~} stay as they are. */
final class PercentEncoding {
    private PercentEncoding() {}

    /** One name or value. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    /** {@code a=1&b=}, sorted by name. */
    static String canonical(Map<String, String> params) {
        return new TreeMap<>(params)
                .entrySet().stream()
                        .map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue()))
                        .collect(Collectors.joining("&"));
    }
}
