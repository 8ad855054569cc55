package io.enipam.examples.hostlocal;

import io.enipam.sdk.CniService;
import io.enipam.sdk.Host;
import io.enipam.sdk.Settings;
import java.nio.file.Path;

/** The extension at work: answers calls, and knows the networks that it has answered for. Thread-safe. */
final class HostLocalPart implements CniService {
    private final Store store;
    private final Networks networks;
    private final CniCalls calls;

    HostLocalPart(Host host) {
        Settings settings = host.settings();
        this.store = settings.get(HostLocalPlugin.STORE).equals(HostLocalPlugin.JOURNAL)
                ? new JournalStore(host.journal())
                : new FileStore();
        this.networks = new Networks(host.journal());
        this.calls =
                new CniCalls(new HostLocal(store), Path.of(settings.get(HostLocalPlugin.DATA_DIR)), networks::served);
    }

    @Override
    public CniAnswer serve(CniCall call) {
        return calls.serve(call);
    }

    @Override
    public void close() {
        store.close();
    }
}
