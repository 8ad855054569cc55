package io.enipam.daemon;

import io.enipam.config.DaemonConfig;
import io.enipam.config.IoReason;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.recovery.DatabaseRebuilder;
import io.enipam.recovery.RebuildPlan;
import io.enipam.recovery.RebuildPlan.Loss;
import io.enipam.recovery.RecoveryReport;
import io.enipam.recovery.RecoveryReport.End;
import io.enipam.recovery.SourceAnswers;
import io.enipam.store.DamagedStore;
import io.enipam.store.SalvageResult;
import io.enipam.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * {@code enipamd --recover}: replaces a damaged or missing database with a rebuilt one. Runs instead of the daemon,
 * under the daemon's lock.
 *
 * <p>The order is: hold the database; salvage its records; ask kernel, API server and cloud, each for a limited time;
 * decide; report; ask for consent if leases may be lost; write. Nothing outside the database is changed, not even in
 * the cloud, and a dry run changes nothing at all.
 */
record RecoverCommand(
        DaemonLayout layout,
        DaemonConfig config,
        DaemonEnvironment surroundings,
        EngineAssembly assembly,
        PluginCatalog catalog,
        RecoverRequest request) {
    /** It reports each broken checkpoint, and advises to bypass checksums. Kept here, since loggers are held weakly. */
    private static final Logger MAPDB = Logger.getLogger("org.mapdb");

    /**
     * Options of the recovery.
     *
     * @param dryRun whether nothing is written
     * @param patience time limit for each source's answer
     * @param consent gets what pods may lose, before a database is written that may lose leases
     * @param report gets every step and result
     */
    record RecoverRequest(boolean dryRun, Duration patience, Predicate<Loss> consent, RecoveryReport report) {}

    /** @throws StartupException if the recovery failed; its message describes the state */
    void run() {
        MAPDB.setLevel(Level.OFF);
        try (Closer opened = new Closer()) {
            if (!request.dryRun()) {
                layout.prepare();
            }
            if (Files.isDirectory(layout.run())) {
                opened.push("lock", layout.takeLock());
                layout.prepareUnpacked();
                surroundings.unpackInto(layout.unpacked());
            }
            DamagedStore store = opened.push("database", DamagedStore.open(layout.database()));
            recover(store, opened);
        } catch (StoreException e) {
            throw new StartupException(e.getMessage() + "; " + e.hint(), e);
        } catch (IOException e) {
            throw new StartupException(IoReason.withFile(e), e);
        }
    }

    private void recover(DamagedStore store, Closer opened) throws IOException {
        Path database = layout.database();
        RecoveryReport report = request.report();
        boolean dryRun = request.dryRun();
        if (store.halfWay()) {
            if (!dryRun) {
                store.finish();
            }
            report.end(dryRun ? End.DRY_RUN : End.FINISHED, database, Optional.empty());
            return;
        }
        SalvageResult salvaged = store.read();
        if (salvaged.state() == SalvageResult.State.SOUND) {
            report.end(End.SOUND, database, Optional.empty());
            return;
        }
        report.salvaged(database, salvaged);
        RecoverySources sources = new RecoverySources(this, opened);
        SourceAnswers answers = sources.ask(salvaged);
        report.sources(answers);
        refuseAnotherMachines(salvaged, sources.machine());
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        RebuildPlan outcome =
                DatabaseRebuilder.decide(salvaged, answers, now, config.engine().coolDown());
        report.outcome(outcome);
        if (dryRun) {
            report.end(End.DRY_RUN, database, Optional.empty());
        } else if (!outcome.loss().isEmpty() && !request.consent().test(outcome.loss())) {
            throw new StartupException(outcome.loss().words()
                    + "; nothing was changed: run this where the daemon ran, with its run directory and in its network"
                    + " namespace, or add --yes");
        } else {
            report.end(End.DONE, database, replace(store, outcome, now));
        }
    }

    private static void refuseAnotherMachines(SalvageResult salvaged, Optional<NodeIdentity> machine) {
        machine.flatMap(own -> own.conflictWith(salvaged.records().node())).ifPresent(conflict -> {
            throw new StartupException(conflict.getMessage() + "; " + conflict.hint(), conflict);
        });
    }

    private Optional<Path> replace(DamagedStore store, RebuildPlan outcome, Instant now) {
        try {
            return store.replace(outcome.changes(), now);
        } catch (IOException e) {
            throw new StartupException(
                    "the new database could not be put in place: " + IoReason.withFile(e)
                            + "; no old file was changed, run it again when the disk takes writes",
                    e);
        }
    }
}
