package io.enipam.recovery;

/** What the kernel says of a sandbox and an address. */
enum KernelView {
    /** The sandbox is connected with the address. */
    ATTACHED("attached"),
    /** The sandbox is connected, and with another address. */
    ELSEWHERE("attached with another"),
    /** The sandbox is not connected. */
    ABSENT("not attached"),
    /** The kernel did not answer. */
    UNKNOWN("?");

    private final String words;

    KernelView(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
