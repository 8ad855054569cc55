package io.enipam.store;

import static io.enipam.store.TestRecords.SMALL;

import io.enipam.engine.testing.CrashPoint;
import io.enipam.engine.testing.TestThreads;
import io.enipam.sdk.Journal;
import io.enipam.sdk.testkit.JournalContract;
import io.enipam.store.tables.PluginTables;
import io.enipam.store.testing.SimulatedDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a plugin's journal on the database, whose process is killed. */
class PluginTablesOnDiskTest extends JournalContract {
    @TempDir
    Path temp;

    private int lives;
    private SimulatedDisk disk;
    private JournaledResourceDb db;

    @BeforeEach
    void begin() {
        disk = new SimulatedDisk(directory(), CrashPoint.never());
    }

    @AfterEach
    void end() {
        if (db != null) {
            db.close();
            db = null;
        }
    }

    @Override
    protected Journal journal() {
        end();
        db = JournaledResourceDb.open(directory(), SMALL, disk);
        return new PluginTables(db).of("node-ipam", TestThreads.PER_TASK);
    }

    @Override
    protected void crash() {
        SimulatedDisk before = disk;
        lives++;
        disk = before.afterKill(directory(), CrashPoint.never());
        end();
    }

    @Override
    protected int histories() {
        return Integer.getInteger("enipam.store.histories", 50);
    }

    private Path directory() {
        return temp.resolve("life-" + lives);
    }
}
