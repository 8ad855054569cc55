package io.enipam.config;

import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.Setting.ReloadScope;
import io.enipam.sdk.Role;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Builder of one row of {@link Schema}; {@link #means} or {@link #live} completes it. */
final class SettingRow<T> {
    private final List<Setting<?>> rows;
    private final String key;
    private final SettingsFile file;
    private final ValueType<T> type;
    private final T usual;
    private final String unit;
    private Optional<T> sandbox = Optional.empty();
    private Optional<T> cluster = Optional.empty();
    private boolean secret;
    private boolean obeyed = true;
    private ReloadScope scope = ReloadScope.RESTART;
    private String objection = "";
    private Set<Role> roles = Set.of(Role.NODE);
    private Optional<Setting<T>> sameAs = Optional.empty();

    /**
     * @param rows gets it
     * @param unit what the value is a number of
     */
    SettingRow(List<Setting<?>> rows, String key, SettingsFile file, ValueType<T> type, T usual, String unit) {
        this.rows = rows;
        this.key = key;
        this.file = file;
        this.type = type;
        this.usual = usual;
        this.unit = unit;
    }

    SettingRow<T> inSandbox(T value) {
        sandbox = Optional.of(value);
        return this;
    }

    SettingRow<T> inCluster(T value) {
        cluster = Optional.of(value);
        return this;
    }

    SettingRow<T> secret() {
        secret = true;
        return this;
    }

    /** Accepted, but the daemon ignores it. */
    SettingRow<T> notObeyed() {
        obeyed = false;
        return this;
    }

    /** A ConfigMap may change it without a restart, and this is its meaning. */
    Setting<T> live(String doc) {
        scope = ReloadScope.LIVE;
        return means(doc);
    }

    /** @param why the reason for which a ConfigMap may not set it */
    SettingRow<T> filesOnly(String why) {
        scope = ReloadScope.FILES;
        objection = why;
        return this;
    }

    SettingRow<T> of(Role... those) {
        roles = Set.of(those);
        return this;
    }

    SettingRow<T> standsFor(Setting<T> other) {
        sameAs = Optional.of(other);
        return this;
    }

    Setting<T> means(String doc) {
        Setting<T> setting = new Setting<>(
                key,
                file,
                type,
                new Setting.Defaults<>(usual, sandbox, cluster),
                unit,
                doc,
                new Setting.Handling(secret, obeyed, scope, objection, roles),
                sameAs);
        rows.add(setting);
        return setting;
    }
}
