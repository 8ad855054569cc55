package io.enipam.config;

import io.enipam.config.ConfigFile.SettingsFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The reference of all settings, generated from the tables that validate them: ours, terway's, and those of plugins.
 */
public final class ConfigReference {
    /** The most characters of a line of a document. */
    private static final int WIDTH = 140;

    private ConfigReference() {}

    public static List<String> markdown(KnownPlugins known) {
        List<String> lines = new ArrayList<>();
        for (SettingsFile file : SettingsFile.values()) {
            heading(lines, "`" + file.usualName() + "`");
            Schema.ALL.stream().filter(setting -> setting.file() == file).forEach(setting -> lines.add(row(setting)));
        }
        for (KnownPlugins.Plugin plugin : known.installed().plugins()) {
            heading(lines, "`plugins." + plugin.id() + "` in `" + SettingsFile.ENIPAM_YAML.usualName() + "`");
            plugin.settings().forEach(setting -> lines.add(row(setting)));
        }
        return lines;
    }

    private static void heading(List<String> lines, String title) {
        if (!lines.isEmpty()) {
            lines.add("");
        }
        lines.add("## " + title);
        lines.add("");
        lines.add("| setting | default | allowed | meaning |");
        lines.add("|---|---|---|---|");
    }

    private static <T> String row(Setting<T> setting) {
        String usual = setting.type().show(setting.usual());
        String others = other("sandbox", setting, setting.defaults().sandbox())
                + other("role cluster", setting, setting.defaults().cluster());
        String more = setting.sameAs()
                .map(same -> " Terway's name of `" + same.key() + "`.")
                .orElse("");
        return row(
                setting.key(),
                usual + others,
                setting.allowed(),
                setting.meaning() + more + (setting.obeyed() ? "" : " Accepted; not acted on yet."));
    }

    private static <T> String other(String where, Setting<T> setting, Optional<T> value) {
        return value.map(it -> " (" + where + ": " + setting.type().show(it) + ")")
                .orElse("");
    }

    private static <T> String row(io.enipam.sdk.Setting<T> setting) {
        String doc = setting.isLive() ? (setting.doc() + " A change applies at once.").strip() : setting.doc();
        return row(setting.name(), setting.show(setting.usual()), setting.allowed(), doc);
    }

    private static String row(String name, String usual, String allowed, String doc) {
        return String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %s |",
                name,
                usual.isBlank() ? "" : "`" + cell(usual) + "`",
                cell(allowed),
                cell(doc));
    }

    private static String cell(String text) {
        return text.replaceAll("\\p{Cntrl}", " ").replace("|", "\\|");
    }

    /** Adds an item of a Markdown list, broken between words at the width of all documents. */
    public static void item(List<String> lines, String text) {
        StringBuilder line = new StringBuilder("-");
        for (String word : text.split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder(" ");
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString());
    }
}
