package io.enipam.sdk;

import java.util.regex.Pattern;

/**
 * What sort of resource a factory makes: {@code eni-ip}, {@code eni}, {@code host-local}.
 *
 * @param name 1 to 32 characters of {@code [a-z0-9-]}, starting with a letter
 */
public record ResourceKind(String name) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    /** A secondary private address of an elastic network interface. */
    public static final ResourceKind ENI_IP = new ResourceKind("eni-ip");

    public ResourceKind {
        Text.require("resource kind", name, NAME);
    }

    @Override
    public String toString() {
        return name;
    }
}
