package io.enipam.shell.command;

import io.enipam.shell.render.DbViews;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.GetDbRecordRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The resource database. */
final class DbCommands {
    private DbCommands() {}

    @Command(
            name = "dump",
            description = "All records of the resource database.",
            footer = {"  db dump", "  db dump --bucket leases -o json"})
    static final class Dump extends DaemonCommand {
        @Completes(LiveKind.DB_BUCKETS)
        @Option(
                names = "--bucket",
                paramLabel = "BUCKET",
                description = "Only this bucket: leases, holds, intents or operations.")
        String bucket = "";

        Dump(Session session) {
            super(session);
        }

        @Override
        void run() {
            showList(
                    "records",
                    stub -> stub.dumpDb(DumpDbRequest.getDefaultInstance()),
                    reply -> reply.getRecordsList().stream()
                            .filter(record ->
                                    bucket.isEmpty() || record.getBucket().equals(bucket))
                            .toList(),
                    DbViews::dump);
        }
    }

    @Command(name = "get", description = "One record of the resource database.", footer = "  db get leases/KEY")
    static final class Get extends DaemonCommand {
        @Completes(LiveKind.DB_KEYS)
        @Parameters(
                paramLabel = "KEY",
                description = "BUCKET/KEY, or a key that is unique over all buckets; see: db dump")
        String key = "";

        Get(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(
                    inspect(stub -> stub.getDbRecord(
                            GetDbRecordRequest.newBuilder().setKey(key).build())),
                    (reply, look) -> DbViews.one(reply.getRecord(), look));
        }
    }
}
