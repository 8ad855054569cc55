package io.enipam.etcd;

import com.google.protobuf.ByteString;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.tables.TableTransaction;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Compare.CompareResult;
import io.etcd.jetcd.api.Compare.CompareTarget;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What a transaction has read and written, as one transaction of etcd: it compares that nothing it read has changed, and writes.
 *
 * <p><b>What is compared.</b> A row that was read by itself: its mod revision, 0 where there was none. A range that was scanned:
 * that no key in it has a mod revision above the one that was read at, which finds rows added and replaced; and that the table's
 * key {@code deletes/} has none either, since what was deleted is not in the range any more. A scan so conflicts with any
 * deletion in its table. Where these were too many compares, whole tables are compared in place of their rows, and else the
 * whole plugin: that conflicts more often, and misses nothing.
 *
 * <p><b>How it fits.</b> etcd takes 128 compares or operations in a transaction ({@code --max-txn-ops}), and counts those of
 * nested ones by the depth: so the writes are divided among nested transactions without a condition, and no more than
 * {@value #MOST_AT_ONCE} are side by side anywhere.
 *
 * @param compares 0 to {@value #MOST_AT_ONCE}
 * @param writes 1 to {@value #MOST_AT_ONCE}
 */
record CommitRequest(List<Compare> compares, List<RequestOp> writes) {
    static final int MOST_AT_ONCE = 60;

    static CommitRequest of(EtcdKeys keys, String plugin, EtcdRows seen, TableTransaction transaction) {
        return new CommitRequest(
                new Reads(keys, plugin, seen, transaction).compares(), packed(writes(keys, plugin, transaction)));
    }

    // ---- writes

    private static List<RequestOp> writes(EtcdKeys keys, String plugin, TableTransaction transaction) {
        List<RequestOp> writes = new ArrayList<>();
        TreeSet<String> shrunk = new TreeSet<>();
        for (Map.Entry<String, Optional<TableRow>> write : transaction.writes(1).entrySet()) {
            ByteString key = keys.rows(write.getKey());
            if (write.getValue().isPresent()) {
                writes.add(put(key, EtcdKeys.value(write.getValue().get())));
            } else {
                shrunk.add(table(write.getKey()));
                writes.add(RequestOp.newBuilder()
                        .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key))
                        .build());
            }
        }
        shrunk.forEach(table -> writes.add(put(keys.deletes(plugin, table), ByteString.EMPTY)));
        return writes;
    }

    private static RequestOp put(ByteString key, ByteString value) {
        return RequestOp.newBuilder()
                .setRequestPut(PutRequest.newBuilder().setKey(key).setValue(value))
                .build();
    }

    private static List<RequestOp> packed(List<RequestOp> writes) {
        if (writes.size() <= MOST_AT_ONCE) {
            return writes;
        }
        List<RequestOp> groups = new ArrayList<>();
        for (int from = 0; from < writes.size(); from += MOST_AT_ONCE) {
            groups.add(RequestOp.newBuilder()
                    .setRequestTxn(TxnRequest.newBuilder()
                            .addAllSuccess(writes.subList(from, Math.min(from + MOST_AT_ONCE, writes.size()))))
                    .build());
        }
        return groups;
    }

    private static String table(String path) {
        return path.split("/", 3)[1];
    }

    // ---- reads

    private record Reads(EtcdKeys keys, String plugin, EtcdRows seen, TableTransaction transaction) {
        List<Compare> compares() {
            if (seen.revision() == 0) {
                return List.of(); // nothing was read
            }
            List<Compare> exact = exact();
            if (exact.size() <= MOST_AT_ONCE) {
                return exact;
            }
            List<Compare> tables = ofTables();
            return tables.size() <= MOST_AT_ONCE ? tables : ofPlugin();
        }

        private List<Compare> exact() {
            List<Compare> compares = new ArrayList<>();
            TreeSet<String> shrinking = new TreeSet<>();
            TreeSet<String> ranges = new TreeSet<>();
            for (String prefix : transaction.scanned()) { // ascending: what covers another one comes first
                if (!covered(ranges, prefix)) {
                    ranges.add(prefix);
                    compares.add(unchangedUnder(keys.rows(prefix)));
                    shrinking.add(table(prefix));
                }
            }
            shrinking.forEach(
                    table -> compares.add(unchanged(keys.deletes(plugin, table)).build()));
            for (String path : transaction.read()) {
                if (!covered(ranges, path)) {
                    seen.revisionOf(path)
                            .ifPresent(revision -> compares.add(Compare.newBuilder()
                                    .setKey(keys.rows(path))
                                    .setTarget(CompareTarget.MOD)
                                    .setResult(CompareResult.EQUAL)
                                    .setModRevision(revision)
                                    .build()));
                }
            }
            return compares;
        }

        private static boolean covered(TreeSet<String> ranges, String path) {
            String before = ranges.floor(path);
            return before != null && path.startsWith(before);
        }

        private List<Compare> ofTables() {
            TreeSet<String> tables = new TreeSet<>();
            transaction.scanned().forEach(prefix -> tables.add(table(prefix)));
            transaction.read().forEach(path -> tables.add(table(path)));
            List<Compare> compares = new ArrayList<>();
            for (String table : tables) {
                compares.add(unchangedUnder(keys.rows(plugin + "/" + table + "/")));
                compares.add(unchanged(keys.deletes(plugin, table)).build());
            }
            return compares;
        }

        private List<Compare> ofPlugin() {
            return List.of(unchangedUnder(keys.rows(plugin + "/")), unchangedUnder(keys.deletes(plugin, "")));
        }

        private Compare unchangedUnder(ByteString beginning) {
            return unchanged(beginning).setRangeEnd(EtcdKeys.end(beginning)).build();
        }

        private Compare.Builder unchanged(ByteString key) {
            return Compare.newBuilder()
                    .setKey(key)
                    .setTarget(CompareTarget.MOD)
                    .setResult(CompareResult.LESS)
                    .setModRevision(seen.revision() + 1);
        }
    }
}
