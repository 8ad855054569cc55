package io.enipam.sdk;

/** What became of one {@link CreateRequest}: {@link Created} or {@link Failed}. */
public sealed interface CreateResult permits Created, Failed {}
