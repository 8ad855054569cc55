package io.enipam.examples.nodeipam;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.cloud.RouteEntry;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One route table of a cloud, which answers at once, as the host's cloud does against the emulator: a destination has one entry, an
 * entry that is there is done, and a token is remembered. What the plugin's own thread asks has no answer, so that a test runs on
 * one thread. Thread-safe.
 */
public final class FakeRoutes {
    public static final String TABLE = "vtb-1";

    private final Map<String, RouteEntry> entries = new LinkedHashMap<>(); // by this
    private final Map<RequestToken, RouteEntry> tokens = new HashMap<>(); // by this
    private final List<String> calls = new ArrayList<>(); // by this
    private int failures; // by this
    private ErrorKind kind = ErrorKind.UNAVAILABLE; // by this

    /** As the host lends it. */
    public Cloud cloud() {
        return (Cloud) Proxy.newProxyInstance(
                Cloud.class.getClassLoader(),
                new Class<?>[] {Cloud.class},
                (proxy, method, arguments) -> answer(method, arguments));
    }

    private CompletionStage<?> answer(Method method, Object[] arguments) {
        if (Thread.currentThread().getName().startsWith("node-ipam-")) {
            return new CompletableFuture<>();
        }
        return CompletableFuture.completedStage(
                switch (method.getName()) {
                    case "routes" ->
                        call(
                                "list",
                                String.valueOf(arguments[0]),
                                () -> new Outcome.Done<>(List.copyOf(entries.values())));
                    case "addRoute" -> {
                        RouteEntry entry = (RouteEntry) arguments[0];
                        yield call("add " + text(entry), entry.table(), () -> add(entry, (RequestToken) arguments[1]));
                    }
                    case "removeRoute" -> {
                        RouteEntry entry = (RouteEntry) arguments[0];
                        yield call(
                                "remove " + text(entry),
                                entry.table(),
                                () -> new Outcome.Done<>(entries.remove(entry.destination(), entry)));
                    }
                    default -> throw new AssertionError("a host of role cluster has no " + method.getName());
                });
    }

    private interface Call {
        Outcome<?> answer();
    }

    private synchronized Outcome<?> call(String name, String table, Call call) {
        calls.add(name);
        if (failures > 0) {
            failures--;
            return Outcome.refused(kind, "a test lets it fail");
        }
        return table.equals(TABLE)
                ? call.answer()
                : Outcome.refused(ErrorKind.MISCONFIGURED, "InvalidRouteTableId.NotFound");
    }

    private Outcome<Boolean> add(RouteEntry entry, RequestToken token) {
        if (entry.equals(tokens.put(token, entry))) {
            return new Outcome.Done<>(true); // and nothing is made again
        }
        RouteEntry there = entries.putIfAbsent(entry.destination(), entry);
        return there == null || there.equals(entry)
                ? new Outcome.Done<>(there == null)
                : Outcome.refused(ErrorKind.CONFLICT, "InvalidCidrBlock.Duplicate");
    }

    private static String text(RouteEntry entry) {
        return entry.destination() + " " + entry.hop().id();
    }

    /** Another client adds an entry. */
    public synchronized void put(String destination, String instance) {
        entries.put(destination, new RouteEntry(TABLE, destination, RouteEntry.Hop.instance(instance)));
    }

    /** Another client removes one. */
    public synchronized void drop(String destination) {
        entries.remove(destination);
    }

    public synchronized void failNext(int calls, ErrorKind with) {
        failures = calls;
        kind = with;
    }

    /** {@code DESTINATION INSTANCE}, in the order of their making. */
    public synchronized List<String> routes() {
        return entries.values().stream().map(FakeRoutes::text).toList();
    }

    /** {@code list}, {@code add DESTINATION INSTANCE}. */
    public synchronized List<String> calls() {
        return List.copyOf(calls);
    }
}
