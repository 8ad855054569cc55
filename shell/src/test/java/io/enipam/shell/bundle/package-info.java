@NullMarked
package io.enipam.shell.bundle;

import org.jspecify.annotations.NullMarked;
