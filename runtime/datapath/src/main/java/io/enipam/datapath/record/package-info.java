/**
 * What was connected how: one small file for each sandbox, written before the kernel is touched and deleted when nothing of the
 * sandbox is left there.
 */
@NullMarked
package io.enipam.datapath.record;

import org.jspecify.annotations.NullMarked;
