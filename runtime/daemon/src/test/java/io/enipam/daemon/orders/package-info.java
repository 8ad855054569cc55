@NullMarked
package io.enipam.daemon.orders;

import org.jspecify.annotations.NullMarked;
