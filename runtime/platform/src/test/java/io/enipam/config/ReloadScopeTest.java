package io.enipam.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.config.Setting.ReloadScope;
import io.enipam.sdk.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReloadScopeTest {
    @Test
    void theDocumentNamesWhatAConfigMapChangesAtOnceAndWhatItNeverMay() throws IOException {
        String document = Files.readString(Path.of("../docs/configuration.md"));
        String atOnce = chapter(document, "### At once");
        String never = chapter(document, "### Never");
        for (Setting<?> setting : Schema.ALL) {
            if (!setting.isOf(Role.NODE)) {
                continue; // a ConfigMap is a node's
            }
            String key = setting.key().startsWith("idle_ip_reclaim_") ? "idle_ip_reclaim_*" : setting.key();
            boolean synonym = setting.sameAs().isPresent() && !key.endsWith("_pool_size");
            if (!synonym) {
                assertThat(atOnce.contains("`" + key + "`")).as(key).isEqualTo(setting.scope() == ReloadScope.LIVE);
            }
            boolean told = never.contains("`" + key + "`")
                    || key.startsWith("emulator.")
                    || key.startsWith("access_")
                    || key.equals("credential_path");
            assertThat(told).as(key).isEqualTo(setting.scope() == ReloadScope.FILES);
            assertThat(setting.objection().isPresent()).as(key).isEqualTo(setting.scope() == ReloadScope.FILES);
        }
    }

    private static String chapter(String document, String heading) {
        String from = document.substring(document.indexOf(heading + "\n") + heading.length());
        return from.substring(0, from.indexOf("\n###"));
    }
}
