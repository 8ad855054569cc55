package io.enipam.examples.nodeipam.cloud;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.cloud.RouteEntry;
import io.enipam.sdk.cloud.RouteEntry.Hop;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Alibaba Cloud: an alias is an entry of a route table of the VPC whose next hop is the instance. Thread-safe. */
public final class RouteTable implements CloudProvider {
    /** As ACK writes them, {@code cn-hangzhou.i-bp1abc}, also with the scheme that newer versions put before it. */
    private static final Pattern PROVIDER_ID =
            Pattern.compile("(?:alicloud://)?[a-z0-9-]{1,64}\\.(i-[A-Za-z0-9-]{1,64})");

    private final Cloud cloud;
    private final String table;

    private RouteTable(Cloud cloud, String table) {
        this.cloud = cloud;
        this.table = table;
    }

    /**
     * @param table its id
     * @throws FactoryException {@link ErrorKind#MISCONFIGURED} if the host has no cloud, or there is no table
     */
    public static RouteTable of(Host host, String table) {
        if (table.isEmpty()) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED, "route_table is not set: the allocators of the cloud need it");
        }
        Cloud cloud = host.service(Cloud.class)
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.MISCONFIGURED,
                        "cloudCIDRAllocator does not support this provider: this host has no cloud"));
        return new RouteTable(cloud, table);
    }

    @Override
    public Optional<String> instance(String providerId) {
        Matcher parts = PROVIDER_ID.matcher(providerId);
        return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
    }

    @Override
    public CompletionStage<Outcome<List<Alias>>> aliases() {
        return cloud.routes(table)
                .thenApply(outcome -> outcome.fold(
                        entries -> new Outcome.Done<>(
                                entries.stream().flatMap(RouteTable::alias).toList()),
                        Outcome.NotDone::as));
    }

    /** A default route, which an instance that translates addresses may have, is no node's block. */
    private static Stream<Alias> alias(RouteEntry entry) {
        if (!entry.hop().equals(Hop.instance(entry.hop().id()))) {
            return Stream.empty();
        }
        try {
            Subnet block = Subnet.parse(entry.destination()).network();
            return block.length() == 0
                    ? Stream.empty()
                    : Stream.of(new Alias(entry.hop().id(), block));
        } catch (IllegalArgumentException e) {
            return Stream.empty(); // a prefix list, or something newer than this
        }
    }

    @Override
    public CompletionStage<Outcome<Boolean>> add(Alias alias, RequestToken token) {
        return cloud.addRoute(entry(alias), token);
    }

    @Override
    public CompletionStage<Outcome<Boolean>> remove(Alias alias) {
        return cloud.removeRoute(entry(alias));
    }

    private RouteEntry entry(Alias alias) {
        return new RouteEntry(table, alias.block().toString(), Hop.instance(alias.instance()));
    }
}
