/**
 * Ranges of addresses that are cut into blocks, and who has which block: plain objects that know nothing of nodes, the API server
 * or the SDK's host.
 */
@NullMarked
package io.enipam.examples.nodeipam.blocks;

import org.jspecify.annotations.NullMarked;
