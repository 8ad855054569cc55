package io.enipam.shell.core;

/**
 * What a command lists, in all of its forms or in one.
 *
 * @param view what was typed of how it shall be listed
 * @param listing how it is listed
 */
public record ListRequest(ListOptions view, TableListing<?> listing) {}
