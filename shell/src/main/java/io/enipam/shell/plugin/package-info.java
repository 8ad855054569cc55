/** The commands on plugins: {@code plugin} and {@code pool policy}, and how their replies are shown. */
@NullMarked
package io.enipam.shell.plugin;

import org.jspecify.annotations.NullMarked;
