@NullMarked
package io.enipam.daemon.overrides;

import org.jspecify.annotations.NullMarked;
