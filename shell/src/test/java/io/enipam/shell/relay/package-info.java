/** Tests of the relay, over real sockets and pipes. */
@NullMarked
package io.enipam.shell.relay;

import org.jspecify.annotations.NullMarked;
