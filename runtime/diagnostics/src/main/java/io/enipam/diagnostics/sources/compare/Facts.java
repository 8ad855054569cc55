package io.enipam.diagnostics.sources.compare;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Small readings that several comparisons need. */
final class Facts {
    static final String DATABASE = "database";
    static final String POOL = "pool";
    static final String BOOK = "ENI book";
    static final String CLOUD = "cloud";
    static final String KERNEL = "kernel";
    static final String API_SERVER = "API server";

    private Facts() {}

    static Set<String> hosts(Resource resource) {
        return resource.addresses().stream().map(Address::host).collect(Collectors.toSet());
    }

    /** Its addresses, as people name a resource. */
    static String host(Resource resource) {
        return AddressFormat.of(resource);
    }

    /** What two sources say, in this order. */
    static Map<String, String> says(String source, String words, String other, String otherWords) {
        Map<String, String> says = new LinkedHashMap<>();
        says.put(source, words);
        says.put(other, otherWords);
        return says;
    }

    static Map<String, String> says(String source, String words) {
        return Map.of(source, words);
    }

    /** An address without its prefix length. */
    static String bare(String address) {
        int slash = address.indexOf('/');
        return slash < 0 ? address : address.substring(0, slash);
    }

    static String leased(Lease lease) {
        return "leased to pod " + lease.pod() + ", container " + lease.owner().containerId();
    }
}
