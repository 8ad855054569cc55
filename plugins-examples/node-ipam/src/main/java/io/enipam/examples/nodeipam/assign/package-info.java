/** How a node comes by its blocks: the rules of the allocators, and the controller that writes what they decide to the API server. */
@NullMarked
package io.enipam.examples.nodeipam.assign;

import org.jspecify.annotations.NullMarked;
