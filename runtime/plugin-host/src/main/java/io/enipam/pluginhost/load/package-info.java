/**
 * Loading of plugins: finds their jars, checks the manifests before any class is loaded, gives each plugin a class loader
 * that shows it the SDK and slf4j alone and does not let it end the process, and calls its entry point once, with a
 * deadline. A plugin that fails is reported and stops no other.
 *
 * <p>It knows {@code io.enipam.sdk} and nothing of the engine. The daemon's wiring calls {@link
 * io.enipam.pluginhost.load.PluginCatalog#find}; guards around what a plugin brings are not made here.
 */
@NullMarked
package io.enipam.pluginhost.load;

import org.jspecify.annotations.NullMarked;
