/** The lab's program, {@code enipam-lab}: its options, and what it prints. The shell starts it; nothing else calls it. */
@NullMarked
package io.enipam.lab;

import org.jspecify.annotations.NullMarked;
