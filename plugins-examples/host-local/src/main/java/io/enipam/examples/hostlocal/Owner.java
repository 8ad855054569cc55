package io.enipam.examples.hostlocal;

/**
 * The owner of an address in its file: container id, CR LF, interface.
 *
 * @param container without blanks around it
 * @param ifName empty text in a file of host-local before 0.7, which had the container's id alone
 */
record Owner(String container, String ifName) {
    private static final String LINE = "\r\n";

    /** A colon is in no container's id, so that no call of a runtime is about it. */
    private static final String RESERVED = "enipam:reserved";

    Owner {
        container = container.trim();
    }

    /** An address that an operator took out. */
    static Owner reserved() {
        return new Owner(RESERVED, "operator");
    }

    static Owner parse(String content) {
        String text = content.trim();
        int end = text.indexOf(LINE);
        return end < 0 ? new Owner(text, "") : new Owner(text.substring(0, end), text.substring(end + LINE.length()));
    }

    /** Whether it is a container, and no mark of enipam's. */
    boolean isContainer() {
        return !container.isEmpty() && container.indexOf(':') < 0;
    }

    /** The whole container, as host-local before 0.7 wrote it. */
    Owner withoutInterface() {
        return new Owner(container, "");
    }

    /** What is in its file. */
    String text() {
        return ifName.isEmpty() ? container : container + LINE + ifName;
    }

    /** For people. */
    @Override
    public String toString() {
        return ifName.isEmpty() ? container : container + "/" + ifName;
    }
}
