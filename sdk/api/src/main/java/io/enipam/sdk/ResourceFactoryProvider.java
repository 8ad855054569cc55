package io.enipam.sdk;

import java.util.function.Function;

/**
 * Announces one factory a plugin can build.
 *
 * <p><b>Thread-safety.</b> {@code name} may be called from any thread. {@code open} is called by one at a time.
 *
 * <pre>{@code
 * final class FixedProvider implements ResourceFactoryProvider {
 *     static final Setting<List<String>> HOSTS =
 *             Setting.texts("hosts", "IPv4 addresses", "[0-9.]{7,15}", 1000, List.of()).doc("The addresses to lend.");
 *
 *     public String name() { return "fixed"; }
 *
 *     public ResourceFactory open(PluginContext context) {
 *         List<String> hosts = context.settings().get(HOSTS);
 *         if (hosts.isEmpty()) {
 *             throw new FactoryException(ErrorKind.MISCONFIGURED, "plugins.fixed.hosts is empty: there is nothing to lend");
 *         }
 *         return new FixedFactory(context, hosts);
 *     }
 * }
 * }</pre>
 */
public interface ResourceFactoryProvider {
    /** The name by which configuration and the shell know the factory: {@code [a-z][a-z0-9-]*}, constant. */
    String name();

    /**
     * Builds the factory. Called at most once per context, on a thread of the plugin's; may block for a few seconds. After 10 s
     * the daemon gives up. A swap to a factory that cannot be opened changes nothing. A factory that a start of the daemon needs
     * is tried again until it opens; until then the node makes no addresses, while what is lent stays lent and can be released.
     *
     * @throws FactoryException if it cannot be opened: {@link ErrorKind#MISCONFIGURED} for settings that do not allow it; the
     *     message is shown to the caller that asked for the factory
     */
    ResourceFactory open(PluginContext context);

    /** A provider of a factory by this name. */
    static ResourceFactoryProvider of(String name, Function<PluginContext, ? extends ResourceFactory> open) {
        record Given(String name, Function<PluginContext, ? extends ResourceFactory> opening)
                implements ResourceFactoryProvider {
            @Override
            public ResourceFactory open(PluginContext context) {
                return opening.apply(context);
            }
        }
        return new Given(name, open);
    }
}
