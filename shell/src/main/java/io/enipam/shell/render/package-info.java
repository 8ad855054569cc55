/**
 * From a reply of the daemon to text: aligned tables for people, protobuf JSON for programs.
 *
 * <p>The package imports the protocol's messages and the JDK. Everything in it is a pure function of a message, the
 * time and the palette; commands call it, and it calls nobody.
 */
@NullMarked
package io.enipam.shell.render;

import org.jspecify.annotations.NullMarked;
