package io.enipam.sdk;

import java.net.Inet6Address;
import java.util.regex.Pattern;

/**
 * The one text of an IPv6 address, by RFC 5952: lower case, no leading zeros, and the longest run of at least two zero
 * groups as {@code ::}, the first of those that are equally long. The JDK writes all eight groups.
 */
final class Ipv6Text {
    private static final Pattern ZEROS = Pattern.compile("(?<![^:])0(:0)+(?![^:])");

    private Ipv6Text() {}

    static String of(Inet6Address ip) {
        String all = ip.getHostAddress();
        int percent = all.indexOf('%');
        String groups = percent < 0 ? all : all.substring(0, percent);
        String zone = all.substring(groups.length());
        return ZEROS.matcher(groups)
                .results()
                .reduce((one, next) -> next.group().length() > one.group().length() ? next : one)
                .map(run -> (run.start() == 0 ? ":" : groups.substring(0, run.start()))
                        + (run.end() == groups.length() ? ":" : groups.substring(run.end())))
                .orElse(groups)
                .concat(zone);
    }
}
