/**
 * Extensions of plugins: which of them run, and what the host does for them. It imports the guards of plugins and the SDK; the
 * plugin host builds it, and what serves commands, calls and checks of extensions asks it for those that run.
 */
@NullMarked
package io.enipam.pluginhost.extension;

import org.jspecify.annotations.NullMarked;
