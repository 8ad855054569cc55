package io.enipam.pluginhost.load;

import java.util.Objects;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a plugin calls where it says {@code System.exit}: the calls are put in its place by {@link ExitCallRewriter}.
 *
 * <p>This class is defined once more by the loader of each plugin, since the plugin cannot see the daemon's classes,
 * and it is that loader's own copy which the plugin calls and which notifies the loader. The daemon's copy is never
 * used. So it must use nothing but the JDK.
 */
public final class RefusedExits {
    /** Set by the loader before any class of the plugin is loaded. Throws. */
    private static volatile @Nullable ObjIntConsumer<String> refusal;

    private RefusedExits() {}

    /** In the place of {@link System#exit}. */
    public static void systemExit(int status) {
        refuse("System.exit", status);
    }

    /** In the place of {@link Runtime#exit}. */
    public static void runtimeExit(Runtime runtime, int status) {
        Objects.requireNonNull(runtime);
        refuse("Runtime.exit", status);
    }

    /** In the place of {@link Runtime#halt}. */
    public static void runtimeHalt(Runtime runtime, int status) {
        Objects.requireNonNull(runtime);
        refuse("Runtime.halt", status);
    }

    private static void refuse(String call, int status) {
        Objects.requireNonNull(refusal).accept(call, status);
    }
}
