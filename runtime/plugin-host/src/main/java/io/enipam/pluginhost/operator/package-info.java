/**
 * What the running extensions of plugins bring for operators: commands of the shell, checks of the doctor, metrics and events. Their
 * code runs on the plugin's threads, behind the plugin's guard. It imports the guards, the extensions and the SDK; the daemon's
 * services, its metrics and its doctor call it.
 */
@NullMarked
package io.enipam.pluginhost.operator;

import org.jspecify.annotations.NullMarked;
