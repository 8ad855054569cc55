package io.enipam.sdk;

/**
 * Names one resource for as long as it exists, unique within its factory; ids that say where they are from are easier to read.
 *
 * <p>An ENI IP is named {@code eni-abc/10.0.1.7}: the interface and the address. The engine never reads meaning into
 * the text.
 *
 * @param value 1 to 256 characters of {@code [A-Za-z0-9._:/-]}
 */
public record ResourceId(String value) implements Comparable<ResourceId> {
    public ResourceId {
        checked(value);
    }

    private static void checked(String value) {
        int length = value.length();
        if (length < 1 || length > 256) {
            throw new IllegalArgumentException("resource id has " + length + " characters, 1 to 256 are allowed");
        }
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            boolean allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= ':') || c == '_';
            if (!allowed) {
                throw new IllegalArgumentException(
                        "resource id has a character outside [A-Za-z0-9._:/-] at position " + i);
            }
        }
    }

    @Override
    public int compareTo(ResourceId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
