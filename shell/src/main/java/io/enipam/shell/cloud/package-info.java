/** The commands on the cloud: {@code ecs} and {@code cloud}, and how their replies are shown. */
@NullMarked
package io.enipam.shell.cloud;

import org.jspecify.annotations.NullMarked;
