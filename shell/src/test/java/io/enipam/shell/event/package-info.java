/** Tests of {@code events}. */
@org.jspecify.annotations.NullMarked
package io.enipam.shell.event;
