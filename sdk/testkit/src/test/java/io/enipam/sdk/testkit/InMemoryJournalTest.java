package io.enipam.sdk.testkit;

import io.enipam.sdk.Journal;

/** The journal that tests of plugins get keeps the contract of the daemon's. */
class InMemoryJournalTest extends JournalContract {
    private InMemoryJournal journal = new InMemoryJournal();

    @Override
    protected Journal journal() {
        journal = journal.reopened();
        return journal;
    }

    @Override
    protected void crash() {}
}
