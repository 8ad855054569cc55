package io.enipam.sdk.testkit;

/** The contract holds for a controller that keeps it. */
class SoundControllerTest extends FlawedControllers.Flawed {
    SoundControllerTest() {
        super(FlawedControllers.Sound::new);
    }
}
