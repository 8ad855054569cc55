package io.enipam.sdk;

import java.net.Inet6Address;

/**
 * The one text of an IPv6 address, by RFC 5952: lower case, no leading zeros, and the longest run of at least two zero groups
 * as {@code ::}, the first of those that are equally long. The JDK writes all eight groups.
 */
final class Ipv6Text {
    private static final int GROUPS = 8;

    private Ipv6Text() {}

    static String of(Inet6Address ip) {
        int[] groups = groups(ip.getAddress());
        int start = 0;
        int length = 0;
        for (int i = 0; i < GROUPS; i++) {
            int run = zerosFrom(groups, i);
            if (run > length) {
                start = i;
                length = run;
            }
        }
        String text = length < 2
                ? join(groups, 0, GROUPS)
                : join(groups, 0, start) + "::" + join(groups, start + length, GROUPS);
        return text + zone(ip);
    }

    private static int[] groups(byte[] bytes) {
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (bytes[2 * i] & 0xff) << 8 | bytes[2 * i + 1] & 0xff;
        }
        return groups;
    }

    private static int zerosFrom(int[] groups, int from) {
        int end = from;
        while (end < GROUPS && groups[end] == 0) {
            end++;
        }
        return end - from;
    }

    private static String join(int[] groups, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(i == from ? "" : ":").append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }

    private static String zone(Inet6Address ip) {
        String text = ip.getHostAddress();
        int percent = text.indexOf('%');
        return percent < 0 ? "" : text.substring(percent);
    }
}
