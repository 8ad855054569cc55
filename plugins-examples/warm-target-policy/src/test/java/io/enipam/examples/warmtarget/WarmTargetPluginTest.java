package io.enipam.examples.warmtarget;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.TestContext;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class WarmTargetPluginTest {
    private final List<IpamPlugin> found = ServiceLoader.load(IpamPlugin.class).stream()
            .map(ServiceLoader.Provider::get)
            .toList();

    @Test
    void theDaemonFindsItWithItsPolicy() {
        assertThat(found).hasSize(1).first().isInstanceOf(WarmTargetPlugin.class);
        PoolPolicyProvider provider = found.get(0).poolPolicies().get(0);
        TestContext context =
                TestContext.builder().settings(found.get(0).settings()).build();

        assertThat(provider.name()).isEqualTo("warm-target");
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
}
