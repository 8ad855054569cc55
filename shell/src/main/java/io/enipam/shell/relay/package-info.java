/**
 * The far end of {@code enipam --node}: a program in the daemon's pod that passes bytes between its own stdin and stdout and the
 * daemon's socket, and knows nothing of what they mean.
 *
 * <p>It starts once for each connection, while somebody waits. So it uses the JDK alone and of that little: no library, no
 * lambda, no logging.
 */
@NullMarked
package io.enipam.shell.relay;

import org.jspecify.annotations.NullMarked;
