package io.enipam.examples.namespacequota;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import io.enipam.sdk.testkit.Snapshots;
import io.enipam.sdk.testkit.TestContext;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class NamespaceQuotaPluginTest {
    private final List<IpamPlugin> found = ServiceLoader.load(IpamPlugin.class).stream()
            .map(ServiceLoader.Provider::get)
            .toList();

    @Test
    void theDaemonFindsItWithItsPolicy() {
        assertThat(found).hasSize(1).first().isInstanceOf(NamespaceQuotaPlugin.class);
        PoolPolicyProvider provider = found.get(0).poolPolicies().get(0);
        TestContext context =
                TestContext.builder().settings(found.get(0).settings()).build();

        assertThat(provider.name()).isEqualTo("namespace-quota");
        assertThat(provider.open(context).name()).isEqualTo(provider.name());
    }

    @Test
    void everySettingAndDiagnosticIsExplained() {
        assertThat(found.get(0).settings())
                .allSatisfy(setting -> assertThat(setting.doc()).endsWith("."))
                .extracting(Setting::name)
                .doesNotHaveDuplicates();
        assertThat(found.get(0).diagnostics())
                .extracting(Diagnostic::summary)
                .allSatisfy(summary -> assertThat(summary).endsWith("."));
    }

    @Test
    void theDiagnosticListsNamespacesWithPodsAndThoseWithAQuota() {
        Settings settings = Settings.of(
                Quotas.SCHEMA, Map.of("default_limit", List.of("5"), "limits", List.of("shop=2", "batch=0")));
        Snapshots.Builder pool =
                Snapshots.pool().inUse("eni-1", pod("shop/a"), pod("default/b")).waiting(pod("shop/c"));
        Diagnostic diagnostic = found.get(0).diagnostics().get(0);

        DiagnosticTable table =
                diagnostic.run(new DiagnosticRequest(Settings.usual(List.of()), pool.build(), settings));

        assertThat(table.rows())
                .containsExactly(
                        List.of("batch", "0", "0", "0", "no"),
                        List.of("default", "1", "0", "5", "yes"),
                        List.of("shop", "1", "1", "2", "no"));
    }

    private static PodView pod(String name) {
        return PodView.of(PodRef.parse(name));
    }
}
