package io.enipam.diagnostics.explain;

import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Subject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What plugins have to do with the things that are explained. Immutable.
 *
 * @param claims on allocators that run
 * @param effects that wait
 * @param findings of the plugins' own checks
 */
public record PluginWords(List<ServedClaim> claims, List<EffectView> effects, List<CheckFinding> findings) {
    static final PluginWords NONE = new PluginWords(List.of(), List.of(), List.of());

    public PluginWords {
        claims = List.copyOf(claims);
        effects = List.copyOf(effects);
        findings = List.copyOf(findings);
    }

    /** @param check its id among all of the doctor's */
    public record CheckFinding(String check, Finding finding) {}

    /**
     * Where they come from.
     *
     * @param granted claims and effects now; no findings
     * @param findings asks the plugins' checks
     */
    public record PluginSource(
            Supplier<PluginWords> granted, Supplier<CompletableFuture<List<CheckFinding>>> findings) {
        /** A host without plugins. */
        public static final PluginSource NONE =
                new PluginSource(() -> PluginWords.NONE, () -> CompletableFuture.completedFuture(List.of()));
    }

    PluginWords with(List<CheckFinding> found) {
        return new PluginWords(claims, effects, found);
    }

    Stream<EffectView> effects(ServedClaim claim) {
        Optional<ClaimId> id = Optional.of(claim.held().claim());
        return effects.stream()
                .filter(effect -> effect.extension().equals(claim.extension()))
                .filter(effect -> effect.effect().claim().equals(id));
    }

    /** The claim that has an address, or, of an owner of blocks, the block that it is in. */
    Optional<ServedClaim> holder(String host) {
        return claims.stream()
                .filter(claim -> hosts(claim).anyMatch(host::equals))
                .findFirst()
                .or(() -> claims.stream()
                        .filter(claim -> claim.held().kind() != Subject.Kind.POD)
                        .filter(claim -> prefixes(claim)
                                .anyMatch(prefix ->
                                        ExplainContext.contains(prefix.address().toString(), host)))
                        .findFirst());
    }

    static Stream<String> hosts(ServedClaim claim) {
        return prefixes(claim).map(prefix -> prefix.address().host());
    }

    static Stream<Prefix> prefixes(ServedClaim claim) {
        return claim.held().grant().stream().flatMap(grant -> grant.prefixes().stream());
    }
}
