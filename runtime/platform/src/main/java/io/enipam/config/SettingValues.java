package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.enipam.sdk.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The values that files set, and the defaults of the others. Not thread-safe; sealed into a {@link DaemonConfig}. */
final class SettingValues {
    static final String DEFAULT = "default";
    /** Terway's names of our settings, in the order of the schema. */
    private static final Map<Setting<?>, List<Setting<?>>> OTHER_NAMES = Schema.ALL.stream()
            .filter(setting -> setting.sameAs().isPresent())
            .collect(Collectors.groupingBy(setting -> setting.sameAs().orElseThrow()));

    private final boolean sandbox;
    private final Map<Setting<?>, Value> set = new HashMap<>();

    /** @param written the original text; missing where there is none */
    private record Value(Object value, String source, JsonNode written) {}

    SettingValues(boolean sandbox) {
        this.sandbox = sandbox;
    }

    <T> void set(Setting<T> setting, T value, String source) {
        set(setting, value, source, written(setting));
    }

    /** The same, with the original text: a value laid over it may set only a part. */
    <T> void set(Setting<T> setting, T value, String source, JsonNode node) {
        set.put(setting, new Value(value, source, node));
    }

    void unset(Setting<?> setting) {
        set.remove(setting);
    }

    /** The original text of the setting itself, even if another setting overrides it; missing if it is not set. */
    JsonNode written(Setting<?> setting) {
        return Optional.ofNullable(set.get(setting)).map(Value::written).orElse(MissingNode.getInstance());
    }

    /** A copy that takes the chosen settings from another instance. */
    SettingValues with(SettingValues others, Predicate<Setting<?>> chosen) {
        SettingValues mixed = new SettingValues(sandbox);
        Schema.ALL.forEach(setting -> {
            SettingValues from = chosen.test(setting) ? others : this;
            Optional.ofNullable(from.set.get(setting)).ifPresent(value -> mixed.set.put(setting, value));
        });
        return mixed;
    }

    /** The value in force: set by our key, else by terway's name of it, else the default. */
    <T> T get(Setting<T> setting) {
        Setting<T> main = setting.sameAs().orElse(setting);
        Value decisive = set.get(decisive(main));
        if (decisive != null) {
            // set() is the only writer, and it ties the value's type to the setting's
            @SuppressWarnings("unchecked")
            T value = (T) decisive.value();
            return value;
        }
        return main.defaults().of(role(), sandbox);
    }

    /** That of the command line: without it, as long as it is not read, that of a node. */
    private Role role() {
        Value said = set.get(Schema.ROLE);
        return said == null ? Role.NODE : Role.valueOf(((String) said.value()).toUpperCase(Locale.ROOT));
    }

    /** The file that set the value, or {@link #DEFAULT}. */
    String source(Setting<?> setting) {
        return Optional.ofNullable(set.get(decisive(setting)))
                .map(Value::source)
                .orElse(DEFAULT);
    }

    /** Whether this source set the setting itself, and not one that stands for it. */
    boolean isFrom(Setting<?> setting, String source) {
        return Optional.ofNullable(set.get(setting))
                .filter(value -> value.source().equals(source))
                .isPresent();
    }

    /** Whether it is set by its own key. */
    boolean isSetItself(Setting<?> setting) {
        return set.containsKey(setting);
    }

    boolean isDualStack() {
        return get(Schema.IP_STACK).equals(Schema.DUAL);
    }

    boolean isSet(Setting<?> setting) {
        return set.containsKey(decisive(setting));
    }

    /** The value in force as a person would write it; {@code ***} for a secret. */
    <T> String show(Setting<T> setting) {
        String text = setting.type().show(get(setting));
        return setting.secret() && !text.isEmpty() ? "***" : text;
    }

    /** The setting whose value counts: our own, or a name of terway's for it that is set instead. */
    private Setting<?> decisive(Setting<?> setting) {
        Setting<?> main = setting.sameAs().<Setting<?>>map(same -> same).orElse(setting);
        return set.containsKey(main)
                ? main
                : OTHER_NAMES.getOrDefault(main, List.of()).stream()
                        .filter(set::containsKey)
                        .findFirst()
                        .orElse(main);
    }
}
