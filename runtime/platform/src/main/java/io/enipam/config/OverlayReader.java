package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * Lays what a ConfigMap says over what the files say: by the rules of {@link MergePatch}, and for what it may say alone. It may
 * repeat what it may not change, since people copy whole files.
 */
final class OverlayReader extends SettingsReader {
    private OverlayReader(
            SettingsFile kind,
            String key,
            Overlay overlay,
            SettingValues values,
            PluginSections plugins,
            List<ConfigProblem> problems) {
        super(kind, overlay.source(), overlay.source() + " key " + key, values, plugins, problems);
    }

    static void read(Overlay overlay, SettingValues values, PluginSections plugins, List<ConfigProblem> problems) {
        if (overlay.eniConf().isEmpty() && overlay.enipamYaml().isEmpty()) {
            problems.add(new ConfigProblem(
                    overlay.source(),
                    "has neither the key " + Overlay.ENI_CONF + " nor " + Overlay.ENIPAM_YAML
                            + ", so it says nothing"));
        }
        overlay.eniConf()
                .ifPresent(text -> new OverlayReader(
                                SettingsFile.ENI_JSON, Overlay.ENI_CONF, overlay, values, plugins, problems)
                        .read(SettingsFile.ENI_JSON, text));
        overlay.enipamYaml()
                .ifPresent(text -> new OverlayReader(
                                SettingsFile.ENIPAM_YAML, Overlay.ENIPAM_YAML, overlay, values, plugins, problems)
                        .read(SettingsFile.ENIPAM_YAML, text));
    }

    private void read(SettingsFile kind, String text) {
        ConfigParser.parse(kind, text.getBytes(java.nio.charset.StandardCharsets.UTF_8), this::problem)
                .ifPresent(this::read);
    }

    @Override
    <T> void value(Setting<T> setting, JsonNode node) {
        JsonNode before = values().written(setting);
        JsonNode merged = node.isNull() ? node : MergePatch.apply(before, node);
        Optional<String> objection = ReloadScope.objection(setting);
        if (objection.isPresent()) {
            boolean same = node.isNull() ? before.isMissingNode() : merged.equals(before);
            if (!same) {
                problem(setting.key() + ": a ConfigMap may not change it: " + objection.get()
                        + "; set it in a file on the node");
            }
            return;
        }
        if (node.isNull()) {
            values().unset(setting);
            return;
        }
        // whatever name a file has for it, a ConfigMap is over the files
        setting.sameAs().ifPresent(main -> {
            if (!values().isFrom(main, source())) {
                values().unset(main);
            }
        });
        super.value(setting, merged);
    }
}
