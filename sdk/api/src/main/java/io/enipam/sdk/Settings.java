package io.enipam.sdk;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of a plugin's settings, checked and complete: what is not set has its default. Immutable and thread-safe.
 *
 * <p>The daemon builds it from {@code enipam.yaml}; a test builds it from a map:
 *
 * <pre>{@code
 * Settings settings = Settings.of(plugin.settings(), Map.of("warm_ip_target", List.of("5")));
 * }</pre>
 */
public final class Settings {
    private final IdentityHashMap<Setting<?>, Object> values;

    private Settings(IdentityHashMap<Setting<?>, Object> values) {
        this.values = values;
    }

    /** Every setting at its default. */
    public static Settings usual(List<Setting<?>> schema) {
        return of(schema, Map.of());
    }

    /**
     * Reads and checks values.
     *
     * @param schema all settings there are, with different names
     * @param written what was written, by name: the text of a scalar or the texts of a list
     * @throws IllegalArgumentException naming every problem, one a line; values of secrets are left out
     */
    public static Settings of(List<Setting<?>> schema, Map<String, List<String>> written) {
        List<String> problems = new ArrayList<>();
        IdentityHashMap<Setting<?>, Object> values = new IdentityHashMap<>();
        for (Setting<?> setting : schema) {
            List<String> text = written.get(setting.name());
            try {
                values.put(setting, text == null ? setting.usual() : setting.read(text));
            } catch (IllegalArgumentException e) {
                String shown = setting.isSecret() ? "***" : String.join(", ", text);
                problems.add(setting.name() + ": '" + shown + "' is not allowed; allowed is " + setting.allowed());
            }
        }
        List<String> known = schema.stream().map(Setting::name).toList();
        written.keySet().stream()
                .filter(name -> !known.contains(name))
                .sorted()
                .forEach(name -> problems.add(name + ": there is no such setting"));
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", problems));
        }
        return new Settings(values);
    }

    /** Whether the other has the same settings with equal values. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Settings settings
                && settings.values.keySet().equals(values.keySet())
                && values.entrySet().stream()
                        .allMatch(each -> each.getValue().equals(settings.values.get(each.getKey())));
    }

    @Override
    public int hashCode() {
        return values.keySet().hashCode();
    }

    /**
     * The value of one setting.
     *
     * @throws IllegalArgumentException if the plugin did not declare this setting
     */
    public <T> T get(Setting<T> setting) {
        Object value = values.get(setting);
        if (value == null) {
            throw new IllegalArgumentException("setting " + setting.name() + " is not among those declared");
        }
        // of() is the only writer, and ties the value's type to the setting's
        @SuppressWarnings("unchecked")
        T typed = (T) value;
        return typed;
    }
}
