package io.enipam.store;

import io.enipam.store.record.Edit;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One commit on its way: its edits, and whom to tell. */
record Commit(List<Edit> edits, CompletableFuture<Void> done) {}
