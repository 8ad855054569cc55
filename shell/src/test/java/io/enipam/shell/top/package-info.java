@NullMarked
package io.enipam.shell.top;

import org.jspecify.annotations.NullMarked;
