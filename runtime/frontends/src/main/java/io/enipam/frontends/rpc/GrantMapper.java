package io.enipam.frontends.rpc;

import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.pluginhost.extension.Effects;
import io.enipam.sdk.Grant;
import io.enipam.v1.GcGrant;
import io.enipam.v1.PluginGrant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What allocators of plugins granted, on the wire. */
final class GrantMapper {
    /** How many effects of each claim wait, by {@link #key}. */
    private final Map<String, Integer> waiting = new HashMap<>();

    GrantMapper(Effects effects) {
        effects.all()
                .forEach(view -> view.effect()
                        .claim()
                        .ifPresent(claim -> waiting.merge(key(view.extension(), claim.text()), 1, Integer::sum)));
    }

    private static String key(String extension, String claim) {
        return extension + "/" + claim;
    }

    PluginGrant grant(ServedClaim claim) {
        return grant(
                claim,
                waiting.getOrDefault(key(claim.extension(), claim.held().claim().text()), 0));
    }

    static GcGrant end(GcReport.ClaimEnd end) {
        return GcGrant.newBuilder()
                .setGrant(grant(end.claim(), 0))
                .setReason(end.reason())
                .build();
    }

    private static PluginGrant grant(ServedClaim claim, int effects) {
        Optional<Grant> grant = claim.held().grant();
        PluginGrant.Builder wire = PluginGrant.newBuilder()
                .setEffects(effects)
                .setState(grant.isEmpty() ? "WAITING" : effects > 0 ? "EFFECTS" : "GRANTED");
        grant.ifPresent(given -> {
            wire.addAllAddresses(
                    Proto.all(given.prefixes(), prefix -> prefix.address().toString()));
            wire.putAllAttributes(given.attributes());
        });
        return Proto.fill(wire, claim.held(), claim).build();
    }
}
