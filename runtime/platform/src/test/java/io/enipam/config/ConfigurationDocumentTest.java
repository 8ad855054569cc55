package io.enipam.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.config.ConfigFile.SettingsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The last chapter of {@code configuration.md} is generated from the table of settings. After a wanted change run this once with
 * {@code -Dreference.write=true}.
 */
class ConfigurationDocumentTest {
    private static final Path FILE = Path.of("../docs/configuration.md");
    private static final String CHAPTER = "## Reference";

    @Test
    void theReferenceInTheDocumentIsThatOfTheCode() throws IOException {
        List<String> lines = Files.readAllLines(FILE);
        List<String> wanted = new ArrayList<>(lines.subList(0, lines.indexOf(CHAPTER)));
        wanted.addAll(reference());
        if (Boolean.getBoolean("reference.write")) {
            Files.write(FILE, wanted);
        }

        assertThat(wanted).isEqualTo(Files.readAllLines(FILE));
    }

    private static List<String> reference() {
        List<String> lines = new ArrayList<>(List.of(
                CHAPTER,
                "",
                "Every setting with its default, what is allowed, and when a change by a ConfigMap takes effect. A test generates",
                "this chapter from the table that checks the settings, and fails if the two differ."));
        for (SettingsFile file : List.of(SettingsFile.ENIPAM_YAML, SettingsFile.ENI_JSON)) {
            lines.addAll(List.of("", "### `" + file.usualName() + "`", ""));
            lines.addAll(List.of("| setting | default | sandbox | a change takes effect |", "|---|---|---|---|"));
            settings(file).forEach(setting -> lines.add(row(setting)));
            lines.add("");
            settings(file)
                    .forEach(setting -> ConfigReference.item(lines, "`" + setting.key() + "`: " + setting.fullDoc()));
        }
        return lines;
    }

    private static List<Setting<?>> settings(SettingsFile file) {
        return Schema.ALL.stream().filter(setting -> setting.file() == file).toList();
    }

    private static <T> String row(Setting<T> setting) {
        String sandbox = setting.defaults()
                .sandbox()
                .map(value -> code(setting.type().show(value)))
                .orElse("");
        String cluster = setting.defaults()
                .cluster()
                .map(value -> ", role cluster " + code(setting.type().show(value)))
                .orElse("");
        return "| `" + setting.key() + "` | " + code(setting.type().show(setting.usual())) + cluster + " | " + sandbox
                + " | " + effect(setting) + " |";
    }

    private static String code(String text) {
        return text.isBlank() ? "" : "`" + text + "`";
    }

    private static String effect(Setting<?> setting) {
        return switch (setting.scope()) {
            case LIVE -> "at once";
            case RESTART -> "with a restart";
            case FILES -> "in a file only";
        };
    }
}
