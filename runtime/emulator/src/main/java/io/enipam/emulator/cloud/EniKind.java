package io.enipam.emulator.cloud;

/** What an ENI is to its instance. */
public enum EniKind {
    /** Made with the instance; stays with it. */
    PRIMARY("Primary"),
    /** Made by a client; comes and goes. */
    SECONDARY("Secondary"),
    /** Made by a client; may carry member ENIs on instance types that support it. */
    TRUNK("Trunk");

    private final String wireName;

    EniKind(String wireName) {
        this.wireName = wireName;
    }

    /** As the API spells it. */
    public String wireName() {
        return wireName;
    }
}
