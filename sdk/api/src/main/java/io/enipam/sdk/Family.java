package io.enipam.sdk;

/** The two address families. */
public enum Family {
    IPV4(32),
    IPV6(128);

    private final int bits;

    Family(int bits) {
        this.bits = bits;
    }

    /** Width of an address of this family: 32 or 128. */
    public int bits() {
        return bits;
    }
}
