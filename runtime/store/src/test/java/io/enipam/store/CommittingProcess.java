package io.enipam.store;

import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.owner;
import static io.enipam.store.TestRecords.put;

import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The process that gets killed: eight threads commit and print each number after its acknowledgement. Each commit adds a
 * lease, the intent and the holds of two factories' resources of the same number, and removes those of ten before, so that half a
 * commit shows.
 */
final class CommittingProcess {
    static final int THREADS = 8;
    static final int SPAN = 8_000;
    static final int KEPT = 10;
    /** Who makes resources of the same ids. */
    static final List<String> FACTORIES = List.of("one", "other");

    private CommittingProcess() {}

    /** @param args the directory, and the number each thread starts with */
    public static void main(String[] args) {
        ResourceDb db = JournaledResourceDb.open(Path.of(args[0]), TestRecords.SMALL);
        int start = Integer.parseInt(args[1]);
        PrintStream out = System.out;
        for (int t = 0; t < THREADS; t++) {
            int base = t * SPAN;
            new Thread(() -> commitForever(db, base, start, out)).start();
        }
    }

    private static void commitForever(ResourceDb db, int base, int start, PrintStream out) {
        for (int i = start; i < SPAN; i++) {
            int n = base + i;
            List<Change> changes = new ArrayList<>(List.of(put(n), new Change.PutIntent(TestRecords.intent(n))));
            FACTORIES.forEach(made -> changes.add(new Change.PutHold(TestRecords.hold(n, made))));
            if (n >= KEPT) {
                changes.add(new Change.RemoveLease(owner(n - KEPT)));
                changes.add(new Change.RemoveIntent(TestRecords.intent(n - KEPT).key()));
                FACTORIES.forEach(made -> changes.add(new Change.RemoveHold(
                        new ResourceKey(made, TestRecords.resource(n - KEPT).id()))));
            }
            commit(db, changes.toArray(Change[]::new));
            out.println(n + ";");
        }
    }
}
