package io.enipam.examples.swarm.docker;

import io.enipam.examples.swarm.docker.Tables.Holder;
import io.enipam.examples.swarm.docker.Tables.LeaseRow;
import io.enipam.examples.swarm.docker.Tables.PoolRow;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Setting;
import io.enipam.sdk.ranges.Ip;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** {@code swarm ipam pools}, {@code leases} and {@code release}. */
final class Commands {
    static final List<String> RELEASE = List.of("swarm", "ipam", "release");

    private static final Setting<String> POOL = Setting.text(
                    "pool", "a pool's id or name", "[^\\s\\p{Cntrl}]{0,200}", "")
            .doc("Of this pool alone: its id, or the name that operators gave it.");
    private static final Setting<String> ADDRESS =
            Setting.text("address", "an IP address", "[0-9a-fA-F:.]{2,45}", "").doc("The address.");
    private static final Setting<String> DOCKERD = Setting.text(
                    "dockerd", "NODE/PID@START", "[^\\s\\p{Cntrl}]{0,300}", "")
            .doc("Release it of this dockerd alone, as 'swarm ipam leases' shows it.");

    private final IpamDriver driver;

    Commands(IpamDriver driver) {
        this.driver = driver;
    }

    List<Command> all() {
        return List.of(
                command(
                        CommandSpec.read(
                                "The pools that Docker's networks have, and how full they are.",
                                "swarm",
                                "ipam",
                                "pools"),
                        this::pools),
                command(
                        CommandSpec.read("The addresses that Docker's networks have.", "swarm", "ipam", "leases")
                                .option(POOL),
                        this::leases),
                command(
                        CommandSpec.destroy(
                                        "Give an address back that a dockerd has and does not give back itself.",
                                        RELEASE.toArray(String[]::new))
                                .operand(ADDRESS)
                                .option(DOCKERD),
                        this::release));
    }

    private Command command(CommandSpec spec, Function<Call, Answer> run) {
        return Command.of(spec, run, (parameter, typed) -> offers(parameter));
    }

    private List<String> offers(Setting<?> parameter) {
        if (parameter.equals(POOL)) {
            return List.copyOf(driver.pools().keySet());
        }
        return parameter.equals(ADDRESS)
                ? driver.leases().keySet().stream()
                        .map(key -> Pool.ip(key).toString())
                        .toList()
                : List.of();
    }

    private Answer pools(Call call) {
        List<List<String>> rows = new ArrayList<>();
        Map<String, LeaseRow> leases = driver.leases();
        driver.pools().forEach((id, row) -> {
            Pool pool = Pool.of(id, row);
            long taken = Checks.taken(pool, leases);
            rows.add(List.of(
                    id,
                    row.name().isEmpty() ? "-" : row.name(),
                    row.subnet(),
                    row.range().isEmpty() ? "-" : row.range(),
                    Integer.toString(row.references().size()),
                    pool.size().toString(),
                    Long.toString(taken),
                    pool.size().subtract(BigInteger.valueOf(taken)).toString()));
        });
        return Answer.table(new DiagnosticTable(
                List.of("POOL", "NAME", "SUBNET", "RANGE", "NETWORKS", "SIZE", "TAKEN", "FREE"), rows));
    }

    private Answer leases(Call call) {
        String wanted = call.arguments().get(POOL);
        Map<String, PoolRow> pools = driver.pools();
        List<List<String>> rows = new ArrayList<>();
        driver.leases().forEach((key, lease) -> {
            List<Holder> holders = lease.holders().stream()
                    .filter(holder -> wanted.isEmpty()
                            || holder.pool().equals(wanted)
                            || Optional.ofNullable(pools.get(holder.pool()))
                                    .filter(row -> row.name().equals(wanted))
                                    .isPresent())
                    .toList();
            if (!holders.isEmpty()) {
                rows.add(List.of(
                        Pool.ip(key).toString(),
                        lease.kind().toString(),
                        lease.mac().isEmpty() ? "-" : lease.mac(),
                        holders.stream().map(Holder::pool).distinct().collect(Collectors.joining(" ")),
                        holders.stream().map(Holder::client).distinct().collect(Collectors.joining(" ")),
                        Instant.ofEpochMilli(lease.since()).toString()));
            }
        });
        return Answer.table(new DiagnosticTable(List.of("ADDRESS", "KIND", "MAC", "POOL", "DOCKERD", "SINCE"), rows));
    }

    /** Of a dockerd that no longer has the address nothing is done: the repair of a finding may be run again. */
    private Answer release(Call call) {
        Ip ip;
        try {
            ip = Ip.parse(call.arguments().get(ADDRESS)).unmapped();
        } catch (IllegalArgumentException e) {
            return Answer.refuse(ErrorKind.MISCONFIGURED, String.valueOf(e.getMessage()));
        }
        List<Holder> freed = driver.release(ip, call.arguments().get(DOCKERD), call.dryRun());
        if (freed.isEmpty()) {
            return Answer.text(ip + " is free, or another dockerd's");
        }
        String had = freed.stream().map(Holder::client).distinct().collect(Collectors.joining(", "));
        return Answer.text(call.dryRun() ? ip + " would be taken from " + had : ip + " is free; " + had + " had it");
    }
}
