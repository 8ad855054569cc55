package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.Networks.Known;
import io.enipam.sdk.Check;
import io.enipam.sdk.CniService;
import io.enipam.sdk.Command;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Host;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ranges.Ip;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The extension at work: answers calls, and knows the networks that it has answered for. Thread-safe. */
final class HostLocalPart implements CniService {
    private final Store store;
    private final Networks networks;
    private final HostLocal hostLocal;
    private final CniCalls calls;
    private final Commands commands;
    private final Checks checks;

    HostLocalPart(Host host) {
        Settings settings = host.settings();
        boolean inJournal = settings.get(HostLocalPlugin.STORE).equals(HostLocalPlugin.JOURNAL);
        this.store = inJournal ? new JournalStore(host.journal()) : new FileStore();
        this.networks = new Networks(host.journal());
        this.hostLocal = new HostLocal(store);
        HostLocalSignals signals = new HostLocalSignals(host.signals(), store, networks);
        this.calls = new CniCalls(hostLocal, Path.of(settings.get(HostLocalPlugin.DATA_DIR)), signals);
        this.commands = new Commands(store, networks, inJournal);
        this.checks = new Checks(store, networks, inJournal, Path.of(settings.get(HostLocalPlugin.RESULTS_DIR)));
    }

    @Override
    public CniAnswer serve(CniCall call) {
        return calls.serve(call);
    }

    /** Called for what is listed alone, which is what is in the journal. */
    @Override
    public boolean release(Grant grant) {
        String[] claim = grant.claim().text().split("/");
        Optional<Known> known = networks.named(claim[0]);
        if (known.isEmpty()) {
            return false;
        }
        Set<Ip> has = grant.prefixes().stream()
                .map(prefix -> Ip.parse(prefix.address().host()))
                .collect(Collectors.toSet());
        try {
            return hostLocal.release(known.get().network(), new Owner(claim[1], claim[2]), has);
        } catch (IOException e) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, String.valueOf(e.getMessage()), e);
        } catch (Refused e) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, e.text(), e);
        }
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
