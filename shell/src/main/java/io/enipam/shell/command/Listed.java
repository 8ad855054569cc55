package io.enipam.shell.command;

import io.enipam.shell.render.Listing;

/**
 * What a command lists, in all of its forms or in one.
 *
 * @param view what was typed of how it shall be listed
 * @param listing how it is listed
 */
record Listed(ListOptions view, Listing<?> listing) {}
