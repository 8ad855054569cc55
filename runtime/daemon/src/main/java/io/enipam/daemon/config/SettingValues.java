package io.enipam.daemon.config;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the files set, and what holds where they are silent. Not thread-safe; sealed into a {@link DaemonConfig}. */
final class SettingValues {
    static final String DEFAULT = "default";

    private final boolean sandbox;
    private final Map<Setting<?>, Object> set = new LinkedHashMap<>();
    private final Map<Setting<?>, String> sources = new HashMap<>();

    SettingValues(boolean sandbox) {
        this.sandbox = sandbox;
    }

    <T> void set(Setting<T> setting, T value, String source) {
        set.put(setting, value);
        sources.put(setting, source);
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
        return sandbox ? main.sandbox().orElse(main.usual()) : main.usual();
    }

    /** The file that set the value, or {@link #DEFAULT}. */
    String source(Setting<?> setting) {
        return sources.getOrDefault(decisiveOf(setting), DEFAULT);
    }

    boolean isSet(Setting<?> setting) {
        return set.containsKey(decisiveOf(setting));
    }

    /** Shows the value in force as a person would write it; a secret as {@code ***}. */
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
