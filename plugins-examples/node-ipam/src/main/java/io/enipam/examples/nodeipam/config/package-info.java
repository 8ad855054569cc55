/** The plugin's settings, and what they mean once they are checked. */
@NullMarked
package io.enipam.examples.nodeipam.config;

import org.jspecify.annotations.NullMarked;
