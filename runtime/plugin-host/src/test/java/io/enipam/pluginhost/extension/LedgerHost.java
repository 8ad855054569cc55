package io.enipam.pluginhost.extension;

import io.enipam.pluginhost.PluginStorage.HostNode;
import io.enipam.pluginhost.extension.Extensions.LentHost;
import io.enipam.sdk.Journal;
import io.enipam.sdk.NodeInfo;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Role;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ledger.Ledger;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;

/** Lends settings, a node and a ledger. */
public record LedgerHost(Settings settings, Ledger ledger) implements LentHost {
    @Override
    public NodeInfo node() {
        return new HostNode("node-1", Role.NODE);
    }

    @Override
    public Clock clock() {
        return Clock.systemUTC();
    }

    @Override
    public Journal journal() {
        return ledger.journal();
    }

    @Override
    public <T> Optional<T> service(Class<T> type) {
        return Optional.empty();
    }

    @Override
    public Path directory() {
        throw new UnsupportedOperationException("no directory");
    }

    @Override
    public ResourceFactory factory(String name) {
        throw new UnsupportedOperationException("no factories");
    }

    @Override
    public void abandon() {}
}
