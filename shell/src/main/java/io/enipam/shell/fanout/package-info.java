/**
 * One line of commands at many daemons at once, and their answers as one: a table with the node in front, or a document for each.
 *
 * <p>The program calls it. It imports the commands, their rendering and the way to a daemon; how a node is reached is told to it.
 */
@NullMarked
package io.enipam.shell.fanout;

import org.jspecify.annotations.NullMarked;
