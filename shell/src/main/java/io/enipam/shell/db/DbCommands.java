package io.enipam.shell.db;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.PodNameConverter;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.TableListing;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.GetDbRecordRequest;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The resource database. */
public final class DbCommands {
    private DbCommands() {}

    @Command(
            name = "dump",
            description = {
                "The records of the resource database.",
                "With several conditions, those that meet all of them. An address is found wherever a record has it, whatever its prefix length."
            },
            footer = {
                "  db dump --ip 10.0.1.7",
                "    BUCKET  KEY                         VALUE",
                "    leases  enipam/sim-9efb36117d50/eth0  {\"v\":1,\"owner\":\"enipam/sim-9efb36117d50/eth0\",...",
                "  db dump --bucket leases --pod default/web-0 -o json"
            })
    public static final class Dump extends ListCommand<DbRecord> {
        @Completes(CompletionKind.DB_BUCKETS)
        @Option(
                names = "--bucket",
                paramLabel = "BUCKET",
                description = "Only this bucket: leases, reservations, quarantine, intents, operations, pods or meta.")
        String bucket = "";

        @Completes(CompletionKind.PODS)
        @Option(
                names = "--pod",
                paramLabel = "NS/NAME",
                converter = PodNameConverter.class,
                description = "Only records of this pod.")
        String pod = "";

        @Completes(CompletionKind.ADDRESSES)
        @Option(names = "--ip", paramLabel = "IP", description = "Only records with this address.")
        String ip = "";

        public Dump(Session session) {
            super(session);
        }

        private DumpDbRequest request() {
            return DumpDbRequest.newBuilder()
                    .setBucket(bucket)
                    .setPod(pod)
                    .setIp(ip)
                    .build();
        }

        @Override
        public TableListing<DbRecord> listing() {
            return request().equals(DumpDbRequest.getDefaultInstance()) ? DbViews.DUMP : DbViews.FOUND;
        }

        @Override
        public ListReply<DbRecord> ask() {
            return parts(stub -> stub.dumpDb(request()), DumpDbReply::getRecordsList);
        }
    }

    @Command(name = "get", description = "One record of the resource database.", footer = "  db get leases/KEY")
    public static final class Get extends DaemonCommand {
        @Completes(CompletionKind.DB_KEYS)
        @Parameters(
                paramLabel = "KEY",
                description = "BUCKET/KEY, or a key that is unique over all buckets; see: db dump")
        String key = "";

        public Get(Session session) {
            super(session);
        }

        @Override
        public void run() {
            show(
                    inspect(stub -> stub.getDbRecord(
                            GetDbRecordRequest.newBuilder().setKey(key).build())),
                    (reply, look) -> DbViews.one(reply.getRecord(), look),
                    reply -> List.of(reply.getRecord().getBucket() + "/"
                            + reply.getRecord().getKey()));
        }
    }
}
