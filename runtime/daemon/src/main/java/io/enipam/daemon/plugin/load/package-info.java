/**
 * Bringing plugins in: finding their jars, reading their manifests, a class loader for each, and asking each once what it
 * brings. Nothing here trusts a plugin, and nothing a plugin does while it is loaded keeps another from being loaded. The
 * plugin host calls it; it calls the SDK.
 */
@NullMarked
package io.enipam.daemon.plugin.load;

import org.jspecify.annotations.NullMarked;
