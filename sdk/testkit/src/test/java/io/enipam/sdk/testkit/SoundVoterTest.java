package io.enipam.sdk.testkit;

/** A voter without a flaw keeps the contract that the flawed ones break. */
class SoundVoterTest extends FlawedVoters.Flawed {
    SoundVoterTest() {
        super(FlawedVoters.Sound::new);
    }
}
