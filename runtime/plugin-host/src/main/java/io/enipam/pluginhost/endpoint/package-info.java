/**
 * Opens, limits and closes the sockets on which parts of plugins serve protocols of their own. Netty accepts, reads and writes; the
 * plugin's code runs on the plugin's threads. It imports the packages of extensions and guards, and the daemon alone calls it.
 */
@NullMarked
package io.enipam.pluginhost.endpoint;

import org.jspecify.annotations.NullMarked;
