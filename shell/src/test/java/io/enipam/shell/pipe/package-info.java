@NullMarked
package io.enipam.shell.pipe;

import org.jspecify.annotations.NullMarked;
