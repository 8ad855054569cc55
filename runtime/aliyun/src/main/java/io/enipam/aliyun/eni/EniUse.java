package io.enipam.aliyun.eni;

import io.enipam.engine.port.CloudJournal;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What a factory's ENIs are for. Each use has ENIs of its own, marked in the cloud by the creator tag, so that both can
 * be at work on one node while one takes over from the other.
 */
public enum EniUse {
    /** Its addresses are lent one by one: terway's mode ENIMultiIP. */
    ADDRESSES("eni-ip", ResourceKind.ENI_IP, "enipam"),
    /** It is lent as a whole: terway's mode ENIOnly. */
    WHOLE("eni", new ResourceKind("eni"), "enipam-eni");

    private static final String WHOLE_PREFIX = "whole/";

    private final String factory;
    private final ResourceKind kind;
    private final String creator;

    EniUse(String factory, ResourceKind kind, String creator) {
        this.factory = factory;
        this.kind = kind;
        this.creator = creator;
    }

    public String factory() {
        return factory;
    }

    public ResourceKind kind() {
        return kind;
    }

    /** The value of the creator tag on its ENIs. */
    public String creator() {
        return creator;
    }

    /**
     * The part of a node's journal that belongs to this use, so that a factory finishes at its start what its own use
     * has left open, and nothing that another one is doing just now.
     */
    CloudJournal journalWithin(CloudJournal node) {
        String prefix = this == WHOLE ? WHOLE_PREFIX : "";
        return new CloudJournal() {
            @Override
            public CompletionStage<Void> begin(Entry entry) {
                return node.begin(new Entry(prefix + entry.id(), entry.since(), entry.operation()));
            }

            @Override
            public void end(String id) {
                node.end(prefix + id);
            }

            @Override
            public List<Entry> open() {
                int skip = prefix.length();
                return node.open().stream()
                        .filter(entry -> entry.id().startsWith(WHOLE_PREFIX) == prefix.equals(WHOLE_PREFIX))
                        .map(entry -> new Entry(entry.id().substring(skip), entry.since(), entry.operation()))
                        .toList();
            }
        };
    }
}
