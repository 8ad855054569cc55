package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginSelectionTest {
    private final PluginSelection configured = PluginSelection.configured("watermark", "eni-ip");

    @TempDir
    Path directory;

    @Test
    void aSwapOutlivesTheDaemonWhileTheConfigurationIsTheSame() {
        PluginSelection swapped = configured.withPolicy("warm").withFactory("cidr");

        assertThat(swapped.under("watermark", "eni-ip")).isEqualTo(swapped);
        assertThat(swapped.leaving()).containsExactly("eni-ip");
    }

    @Test
    void aConfigurationThatWasChangedAfterTheSwapWins() {
        PluginSelection changed =
                configured.withPolicy("warm").withFactory("cidr").under("packing", "rack");

        assertThat(changed.policy()).isEqualTo("packing");
        assertThat(changed.factory()).isEqualTo("rack");
        assertThat(changed.leaving()).containsExactly("eni-ip", "cidr");
        assertThat(changed.under("packing", "rack")).isEqualTo(changed);
    }

    @Test
    void aFactoryThatComesBackDoesNotLeaveAnyMore() {
        assertThat(configured.withFactory("cidr").withFactory("eni-ip"))
                .isEqualTo(new PluginSelection("watermark", "eni-ip", List.of("cidr"), "watermark", "eni-ip"));
    }

    @Test
    void aFactoryThatMayHaveMadeSomethingIsOneThatLeaves() {
        PluginSelection opening = configured.withLeaving("cidr").withLeaving("cidr");

        assertThat(opening.leaving()).containsExactly("cidr");
        assertThat(opening.factory()).isEqualTo("eni-ip");
        assertThat(opening.withoutLeaving("cidr")).isEqualTo(configured);
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        Path file = directory.resolve("selection.json");
        assertThat(PluginSelection.read(file)).isEmpty();
        PluginSelection selection = configured.withFactory("cidr").withPolicy("warm");

        selection.write(file);

        assertThat(PluginSelection.read(file)).contains(selection);
    }

    @Test
    void aDamagedFileIsNamedWithWhatToDo() throws IOException {
        for (String text : List.of(
                "",
                "{",
                "{\"policy\":\"a\"}",
                "[]",
                "{\"policy\":\"../x\",\"factory\":\"b\","
                        + "\"leaving\":[],\"configuredPolicy\":\"a\",\"configuredFactory\":\"b\"}")) {
            Path path = Files.writeString(directory.resolve("selection.json"), text);

            assertThatThrownBy(() -> PluginSelection.read(path))
                    .as(text)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(path + " is damaged; remove it");
        }
    }
}
