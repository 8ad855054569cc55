package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/** The values that files set, and the defaults of the others. Not thread-safe; sealed into a {@link DaemonConfig}. */
final class SettingValues {
    static final String DEFAULT = "default";

    private final boolean sandbox;
    private final Map<Setting<?>, Object> set = new LinkedHashMap<>();
    private final Map<Setting<?>, String> sources = new HashMap<>();
    private final Map<Setting<?>, JsonNode> written = new HashMap<>();

    SettingValues(boolean sandbox) {
        this.sandbox = sandbox;
    }

    <T> void set(Setting<T> setting, T value, String source) {
        set.put(setting, value);
        sources.put(setting, source);
    }

    /** The same, with the original text: a value laid over it may set only a part. */
    <T> void set(Setting<T> setting, T value, String source, JsonNode node) {
        set(setting, value, source);
        written.put(setting, node);
    }

    void unset(Setting<?> setting) {
        set.remove(setting);
        sources.remove(setting);
        written.remove(setting);
    }

    /** The original text of the setting itself, even if another setting overrides it; missing if it is not set. */
    JsonNode written(Setting<?> setting) {
        return written.getOrDefault(setting, MissingNode.getInstance());
    }

    /** A copy that takes the chosen settings from another instance. */
    SettingValues with(SettingValues others, Predicate<Setting<?>> chosen) {
        SettingValues mixed = new SettingValues(sandbox);
        Schema.ALL.forEach(setting -> {
            SettingValues from = chosen.test(setting) ? others : this;
            if (from.set.containsKey(setting)) {
                mixed.set.put(setting, from.set.get(setting));
                mixed.sources.put(setting, from.sources.getOrDefault(setting, DEFAULT));
                mixed.written.put(setting, from.written(setting));
            }
        });
        return mixed;
    }

    /** The value in force: set by our key, else by terway's name of it, else the default. */
    <T> T get(Setting<T> setting) {
        Setting<T> main = setting.sameAs().orElse(setting);
        Setting<T> decisive = decisive(main);
        if (set.containsKey(decisive)) {
            // set() is the only writer, and it ties the value's type to the setting's
            @SuppressWarnings("unchecked")
            T value = (T) set.get(decisive);
            return value;
        }
        return sandbox ? main.defaults().sandbox().orElse(main.usual()) : main.usual();
    }

    /** The file that set the value, or {@link #DEFAULT}. */
    String source(Setting<?> setting) {
        return sources.getOrDefault(decisiveOf(setting), DEFAULT);
    }

    /** Whether this source set the setting itself, and not one that stands for it. */
    boolean isFrom(Setting<?> setting, String source) {
        return source.equals(sources.get(setting));
    }

    /** Whether pods have addresses of both families. */
    boolean isDualStack() {
        return get(Schema.IP_STACK).equals(Schema.DUAL);
    }

    boolean isSet(Setting<?> setting) {
        return set.containsKey(decisiveOf(setting));
    }

    /** The value in force as a person would write it; {@code ***} for a secret. */
    <T> String show(Setting<T> setting) {
        String text = setting.type().show(get(setting));
        return setting.secret() && !text.isEmpty() ? "***" : text;
    }

    private <T> Setting<?> decisiveOf(Setting<T> setting) {
        return decisive(setting.sameAs().orElse(setting));
    }

    private <T> Setting<T> decisive(Setting<T> main) {
        if (set.containsKey(main)) {
            return main;
        }
        for (Setting<?> other : Schema.ALL) {
            if (other.sameAs().filter(main::equals).isPresent() && set.containsKey(other)) {
                // sameAs ties both settings to one type
                @SuppressWarnings("unchecked")
                Setting<T> synonym = (Setting<T>) other;
                return synonym;
            }
        }
        return main;
    }
}
