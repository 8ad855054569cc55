@NullMarked
package io.enipam.shell.reference;

import org.jspecify.annotations.NullMarked;
