/**
 * The disk's fake, which ships beside the wall it stands in for: files in memory, a page cache that a power loss empties, a
 * process that dies at any of its operations. Tests of every module may use it; nothing that ships runs it.
 */
@NullMarked
package io.enipam.store.testing;

import org.jspecify.annotations.NullMarked;
