package io.enipam.aliyun.eni;

import io.enipam.engine.port.CloudJournal;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The journal of one use of ENIs within the node's, so that a factory finishes at its start what its own use has left open,
 * and nothing that another is doing just now. Thread-safe.
 */
final class EniUseJournal implements CloudJournal {
    private static final String WHOLE = "whole/";

    private final CloudJournal node;
    private final String prefix;

    EniUseJournal(CloudJournal node, EniUse use) {
        this.node = node;
        this.prefix = use == EniUse.WHOLE ? WHOLE : "";
    }

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
        return node.open().stream()
                .filter(entry -> entry.id().startsWith(WHOLE) == prefix.equals(WHOLE))
                .map(entry -> new Entry(entry.id().substring(prefix.length()), entry.since(), entry.operation()))
                .toList();
    }
}
