package io.enipam.shell.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.CannedReplies;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.PendingValue;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfigViewTest {
    private static final RenderContext PLAIN = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, true);

    private static List<String> cells(ConfigEntry entry) {
        return NodeViews.CONFIG.columns(true).stream()
                .map(column -> column.cell().apply(entry, PLAIN).text())
                .toList();
    }

    @Test
    void aValueThatWaitsForARestartIsShownBesideTheOneInForce() {
        ConfigEntry entry = CannedReplies.config("max_eni", "4", "eni.json", "Upper bound.");
        assertThat(cells(entry)).containsExactly("max_eni", "4", "eni.json", "Upper bound.");

        PendingValue waiting = PendingValue.newBuilder()
                .setValue("2")
                .setSource("configmap kube-system/gpu")
                .build();
        assertThat(cells(entry.toBuilder().setPending(waiting).build()))
                .containsExactly(
                        "max_eni", "4", "eni.json", "After a restart: 2, of configmap kube-system/gpu. Upper bound.");
    }
}
