package io.enipam.sdk;

import java.util.List;

/**
 * The settings of an owner's resolver, as {@code resolv.conf} has them.
 *
 * @param domain empty text for none
 */
public record Dns(List<String> nameservers, String domain, List<String> search, List<String> options) {
    public Dns {
        nameservers = List.copyOf(nameservers);
        search = List.copyOf(search);
        options = List.copyOf(options);
    }
}
