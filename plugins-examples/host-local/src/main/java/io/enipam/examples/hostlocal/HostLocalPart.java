package io.enipam.examples.hostlocal;

import io.enipam.sdk.Check;
import io.enipam.sdk.CniService;
import io.enipam.sdk.Command;
import io.enipam.sdk.Host;
import io.enipam.sdk.Settings;
import java.nio.file.Path;
import java.util.List;

/** The extension at work: answers calls, and knows the networks that it has answered for. Thread-safe. */
final class HostLocalPart implements CniService {
    private final Store store;
    private final CniCalls calls;
    private final Commands commands;
    private final Checks checks;

    HostLocalPart(Host host) {
        Settings settings = host.settings();
        boolean inJournal = settings.get(HostLocalPlugin.STORE).equals(HostLocalPlugin.JOURNAL);
        this.store = inJournal ? new JournalStore(host.journal()) : new FileStore();
        Networks networks = new Networks(host.journal());
        HostLocalSignals signals = new HostLocalSignals(host.signals(), store, networks);
        this.calls = new CniCalls(new HostLocal(store), Path.of(settings.get(HostLocalPlugin.DATA_DIR)), signals);
        this.commands = new Commands(store, networks, inJournal);
        this.checks = new Checks(store, networks, inJournal, Path.of(settings.get(HostLocalPlugin.RESULTS_DIR)));
    }

    @Override
    public CniAnswer serve(CniCall call) {
        return calls.serve(call);
    }

    @Override
    public List<Command> commands() {
        return commands.all();
    }

    @Override
    public List<Check> checks() {
        return checks.all();
    }

    @Override
    public void close() {
        store.close();
    }
}
