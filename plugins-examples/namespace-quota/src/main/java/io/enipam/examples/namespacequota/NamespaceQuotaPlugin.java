package io.enipam.examples.namespacequota;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Setting;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Brings the policy {@code namespace-quota}. */
public final class NamespaceQuotaPlugin implements IpamPlugin {
    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(PoolPolicyProvider.of(
                NamespaceQuotaPolicy.NAME, context -> new NamespaceQuotaPolicy(() -> Quotas.of(context.settings()))));
    }

    @Override
    public List<Setting<?>> settings() {
        return Quotas.SCHEMA;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(Diagnostic.of(
                "quotas",
                "What each namespace has of this node, beside its quota, in addresses.",
                List.of(),
                NamespaceQuotaPlugin::quotas));
    }

    /** {@code plugin run namespace-quota quotas}: those with pods here and those with a quota of their own, by name. */
    private static DiagnosticTable quotas(DiagnosticRequest request) {
        Quotas quotas = Quotas.of(request.settings());
        PoolSnapshot pool = request.pool();
        TreeSet<String> namespaces = new TreeSet<>(quotas.own().keySet());
        Stream.concat(NamespaceUse.owners(pool), pool.waiters().stream())
                .map(PodView::ref)
                .forEach(pod -> namespaces.add(pod.namespace()));
        DiagnosticTable table = DiagnosticTable.of("NAMESPACE", "USED", "WAITING", "LIMIT", "ROOM");
        for (String namespace : namespaces) {
            NamespaceUse use = NamespaceUse.of(pool, pod -> pod.namespace().equals(namespace));
            int limit = quotas.of(namespace);
            table = table.row(
                    namespace,
                    Long.toString(use.used()),
                    Long.toString(use.waiting()),
                    Integer.toString(limit),
                    use.total() < limit ? "yes" : "no");
        }
        return table;
    }
}
