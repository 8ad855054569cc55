package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import inet.ipaddr.AddressStringException;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Route;
import io.enipam.emulator.cloud.IdGenerator;
import io.enipam.emulator.cloud.VSwitch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The actions on custom entries of the VPC's route table: CreateRouteEntry, DeleteRouteEntry and DescribeRouteEntryList of VPC. Real
 * entries are in force some seconds later; these are at once. Several next hops of one entry are not there.
 */
final class RouteActions {
    /** Custom entries of a table. */
    static final int MOST = 200;

    private static final Page.Bounds BY_TOKEN = new Page.Bounds(1, 100, 0);
    /** Which the cloud's own services have. */
    private static final IPAddress SERVICES = block("100.64.0.0/10").orElseThrow();

    private RouteActions() {}

    /** Lists the entries that pass all the filters given, in the order of their creation. */
    static Result describe(ActionCall call) {
        Params params = call.params().renamed("MaxResult", "MaxResults");
        requireTable(call);
        List<Route> found = call.state().routes().stream()
                .filter(route -> params.asks("RouteEntryType", "Custom"))
                .filter(route -> params.asks("RouteEntryId", route.id()))
                .filter(route -> params.asks("DestinationCidrBlock", route.destination()))
                .filter(route -> params.asks("NextHopId", route.hopId()))
                .filter(route -> params.asks("NextHopType", route.hopType()))
                .toList();
        Page<Route> page = Page.cut(params, found, Route::number, BY_TOKEN);
        ArrayNode items = page.head().putObject("RouteEntrys").putArray("RouteEntry");
        for (Route route : page.items()) {
            ObjectNode item = items.addObject()
                    .put("RouteEntryId", route.id())
                    .put("RouteTableId", call.state().routeTable())
                    .put("DestinationCidrBlock", route.destination())
                    .put("Type", "Custom")
                    .put("IpVersion", "ipv4")
                    .put("RouteEntryName", "")
                    .put("Description", "")
                    .put("Status", "Available");
            item.putObject("NextHops")
                    .putArray("NextHop")
                    .addObject()
                    .put("NextHopType", route.hopType())
                    .put("NextHopId", route.hopId())
                    .put("Enabled", 1)
                    .put("Weight", 100);
        }
        return call.answer(page.head());
    }

    static Result create(ActionCall call) {
        requireTable(call);
        CloudState state = call.state();
        Params params = call.params();
        String type = params.get("NextHopType").orElse("Instance");
        String hop = params.require("NextHopId");
        switch (type) {
            case "Instance" -> requireHop(state.instance(hop).isPresent(), ApiError.INSTANCE_ID_NOT_FOUND, hop);
            case "NetworkInterface" -> requireHop(state.eni(hop).isPresent(), ApiError.ENI_NOT_FOUND, hop);
            default -> throw Params.invalid("NextHopType");
        }
        String destination = destination(params.require("DestinationCidrBlock"), state);
        if (state.routes().stream().anyMatch(route -> route.destination().equals(destination))) {
            throw ApiError.ROUTE_DUPLICATED.with(destination);
        }
        if (state.routes().size() >= MOST) {
            throw ApiError.ROUTE_QUOTA.with(MOST);
        }
        long number = 1 + state.routes().stream().mapToLong(Route::number).max().orElse(0);
        Route made =
                new Route(IdGenerator.resource(state.layout().seed(), "rte", number), number, destination, type, hop);
        List<Route> routes = new ArrayList<>(state.routes());
        routes.add(made);
        return new Result(state.routed(routes), ActionCall.body().put("RouteEntryId", made.id()));
    }

    /** Removes the entry of RouteEntryId, or of table, destination and next hop. */
    static Result delete(ActionCall call) {
        CloudState state = call.state();
        Params params = call.params();
        Optional<String> id = params.get("RouteEntryId");
        if (id.isEmpty()) {
            requireTable(call);
            params.require("NextHopId");
        }
        String destination = id.isPresent() ? "" : params.require("DestinationCidrBlock");
        Route gone = state.routes().stream()
                .filter(route -> id.map(route.id()::equals)
                        .orElseGet(() -> route.destination().equals(destination)))
                .filter(route -> params.asks("NextHopId", route.hopId()))
                .findFirst()
                .orElseThrow(() -> ApiError.ROUTE_NOT_FOUND.with(id.orElse(destination)));
        List<Route> left =
                state.routes().stream().filter(route -> route != gone).toList();
        return new Result(state.routed(left), ActionCall.body());
    }

    private static void requireHop(boolean there, ApiError missing, String hop) {
        if (!there) {
            throw missing.with(hop);
        }
    }

    private static void requireTable(ActionCall call) {
        String table = call.params().require("RouteTableId");
        if (!table.equals(call.state().routeTable())) {
            throw ApiError.ROUTE_TABLE_NOT_FOUND.with(table);
        }
    }

    /** A destination in canonical text: a block that neither is nor lies in one of a vSwitch, nor is that of the services. */
    private static String destination(String text, CloudState state) {
        IPAddress block = block(text).orElseThrow(() -> ApiError.ROUTE_DESTINATION.with(text, "it is no IPv4 block"));
        if (block.equals(SERVICES)) {
            throw ApiError.ROUTE_DESTINATION.with(text, "it is that of the cloud's services");
        }
        for (VSwitch vswitch : state.layout().vswitches()) {
            if (block(vswitch.cidr()).filter(home -> home.contains(block)).isPresent()) {
                throw ApiError.ROUTE_DESTINATION.with(text, "it lies in vSwitch " + vswitch.id());
            }
        }
        return block.toCanonicalString();
    }

    private static Optional<IPAddress> block(String text) {
        try {
            IPAddress address = new IPAddressString(text).toAddress();
            boolean plain = address.isIPv4()
                    && address.toPrefixBlock()
                            .getLower()
                            .withoutPrefixLength()
                            .equals(address.getLower().withoutPrefixLength());
            return plain ? Optional.of(address.toPrefixBlock()) : Optional.empty();
        } catch (AddressStringException malformed) {
            return Optional.empty();
        }
    }
}
