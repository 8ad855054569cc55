/** Tests of the way to other nodes that need no cluster; those with one are in the package above. */
@NullMarked
package io.enipam.shell.fleet;

import org.jspecify.annotations.NullMarked;
