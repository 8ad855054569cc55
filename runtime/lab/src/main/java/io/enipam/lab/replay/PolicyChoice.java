package io.enipam.lab.replay;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A policy with its settings, as it is typed: {@code watermark(min=5,max=10)}, {@code warm-target(warm_ip_target=8)}, {@code
 * my.jar:mine}.
 *
 * @param text as it was typed, which names it in results
 * @param jar of the plugin that has it, if that is not installed
 * @param pool what it says of the pool
 * @param own the policy's own settings
 */
public record PolicyChoice(String text, Optional<Path> jar, String name, Pool pool, Map<String, String> own) {
    private static final Pattern SHAPE = Pattern.compile("(?:(.+\\.jar|.+/):)?([a-z][a-z0-9-]*)(?:\\((.*)\\))?");
    private static final int MOST = 10_000;

    /** What a policy's parentheses may say of the pool, whatever the policy; what is empty is as the configuration has it. */
    public record Pool(OptionalInt min, OptionalInt max, OptionalInt capacity, Optional<Duration> coolDown) {
        static final List<String> NAMES = List.of("min", "max", "capacity", "cool_down");

        /** The engine's configuration with these settings in the place of its own. */
        EngineConfig in(EngineConfig config) {
            Watermarks marks = config.watermarks();
            int least = min.orElse(marks.minIdle());
            // as the daemon does it
            int most = Math.max(least, max.orElse(marks.maxIdle()));
            return config.with(
                    new Watermarks(least, most, capacity.orElse(marks.capacity())), coolDown.orElse(config.coolDown()));
        }
    }

    public PolicyChoice {
        own = Collections.unmodifiableMap(new TreeMap<>(own));
    }

    /** Reads one. Throws IllegalArgumentException, which says what is wrong and what would be right. */
    public static PolicyChoice parse(String text) {
        Matcher shape = SHAPE.matcher(text.strip());
        if (!shape.matches()) {
            throw new IllegalArgumentException("'" + text
                    + "' is no policy; write NAME, NAME(setting=value,...) or FILE.jar:NAME, as in"
                    + " watermark(min=5,max=10)");
        }
        Map<String, String> all = new TreeMap<>();
        String inside = shape.group(3) == null ? "" : shape.group(3);
        for (String pair : inside.isBlank() ? new String[0] : inside.split(",", -1)) {
            int equals = pair.indexOf('=');
            String key = equals < 0 ? "" : pair.substring(0, equals).strip();
            if (key.isEmpty()) {
                throw new IllegalArgumentException(
                        "'" + pair.strip() + "' in '" + text + "' is no setting; write NAME=VALUE, as in min=5");
            }
            String value = pair.substring(equals + 1).strip();
            if (all.put(key, value) != null) {
                throw new IllegalArgumentException(
                        "'" + key + "' is given twice in '" + text + "'; leave one of them out");
            }
        }
        Pool pool = new Pool(whole(all, "min", 0), whole(all, "max", 0), whole(all, "capacity", 1), coolDown(all));
        if (pool.min().isPresent()
                && pool.max().isPresent()
                && pool.min().getAsInt() > pool.max().getAsInt()) {
            throw new IllegalArgumentException("min is above max in '" + text + "'; exchange them");
        }
        all.keySet().removeAll(Pool.NAMES);
        return new PolicyChoice(
                text.strip(), Optional.ofNullable(shape.group(1)).map(Path::of), shape.group(2), pool, all);
    }

    private static OptionalInt whole(Map<String, String> all, String name, int least) {
        String text = all.get(name);
        if (text == null) {
            return OptionalInt.empty();
        }
        if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) < least || Integer.parseInt(text) > MOST) {
            throw new IllegalArgumentException(
                    name + " is '" + text + "'; give a whole number from " + least + " to " + MOST);
        }
        return OptionalInt.of(Integer.parseInt(text));
    }

    private static Optional<Duration> coolDown(Map<String, String> all) {
        String text = all.get("cool_down");
        if (text == null) {
            return Optional.empty();
        }
        if (!text.matches("[0-9]{1,4}s?") || Integer.parseInt(text.replace("s", "")) > 3600) {
            throw new IllegalArgumentException("cool_down is '" + text + "'; give whole seconds up to 3600, as in 30s");
        }
        return Optional.of(Duration.ofSeconds(Integer.parseInt(text.replace("s", ""))));
    }
}
