package io.enipam.engine.model;

import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.util.stream.Collectors;

/** Addresses for messages: canonical, and both where there is one of each family. */
public final class AddressFormat {
    private AddressFormat() {}

    /** One address in canonical text: the JDK's own of IPv6 is not. */
    public static String text(InetAddress ip) {
        return ip.getAddress().length == 4 ? ip.getHostAddress() : new Address(ip, 128).host();
    }

    /** All addresses of a resource, in its order: {@code 10.0.0.5 and 2001:db8::5}. */
    public static String of(Resource resource) {
        return resource.addresses().stream().map(Address::host).collect(Collectors.joining(" and "));
    }
}
