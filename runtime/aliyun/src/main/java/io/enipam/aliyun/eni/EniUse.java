package io.enipam.aliyun.eni;

import io.enipam.sdk.ResourceKind;

/**
 * What a factory's ENIs are for. Each use has ENIs of its own, told apart in the cloud by the creator tag, so that both can
 * be at work on one node while one takes over from the other.
 */
public enum EniUse {
    /** Its addresses are lent one by one: terway's mode ENIMultiIP. */
    ADDRESSES("eni-ip", ResourceKind.ENI_IP, "enipam"),
    /** It is lent as a whole: terway's mode ENIOnly. */
    WHOLE("eni", new ResourceKind("eni"), "enipam-eni");

    private final String factory;
    private final ResourceKind kind;
    private final String creator;

    EniUse(String factory, ResourceKind kind, String creator) {
        this.factory = factory;
        this.kind = kind;
        this.creator = creator;
    }

    /** The name of the factory. */
    public String factory() {
        return factory;
    }

    /** What the factory makes. */
    public ResourceKind kind() {
        return kind;
    }

    /** The value of the creator tag on its ENIs. */
    public String creator() {
        return creator;
    }
}
