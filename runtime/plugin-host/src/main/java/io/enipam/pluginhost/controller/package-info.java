/**
 * Controllers of plugins: the queue of each one's keys, its sources, and what is known of both, on the host that leads. It imports the
 * extensions and guards of plugins and the SDK; the plugin host builds it, and nothing of the plugin host but that calls it.
 */
@NullMarked
package io.enipam.pluginhost.controller;

import org.jspecify.annotations.NullMarked;
