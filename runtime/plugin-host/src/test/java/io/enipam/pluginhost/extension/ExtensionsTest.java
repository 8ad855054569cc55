package io.enipam.pluginhost.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.extension.Extensions.Candidate;
import io.enipam.pluginhost.extension.Extensions.ExtensionView;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.extension.Extensions.State;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Part;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.testkit.InMemoryJournal;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExtensionsTest {
    private static final Setting<Integer> SIZE = Setting.wholeNumber("size", 1, 100, 1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FOR_EVER = 1_000_000;

    private final ExecutorScheduler engine = new ExecutorScheduler();
    private final SystemTime time = new SystemTime();
    private final RecordedEvents events = new RecordedEvents(time);
    private final PluginGuard guard = new PluginGuard(
            "net", getClass().getClassLoader(), GuardLimits.DEFAULT, time, engine, engine, health -> {});
    private final Queue<String> story = new ConcurrentLinkedQueue<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile int refusedSize;

    private volatile Settings now = Settings.usual(List.of(SIZE));
    private Extensions extensions = extensions(Set.of(Role.NODE), false);

    private Extensions extensions(Set<Role> roles, boolean takesSettings) {
        Extension vlan = Extension.of("vlan", roles, host -> {
            int size = host.settings().get(SIZE);
            if (size == refusedSize || refusals.getAndDecrement() > 0) {
                throw new FactoryException(ErrorKind.UNAVAILABLE, "the switch does not answer");
            }
            story.add("open " + size);
            return new Part() {
                @Override
                public boolean reconfigure(Settings now) {
                    story.add("reconfigure " + now.get(SIZE));
                    return takesSettings;
                }

                @Override
                public void close() {
                    story.add("close " + size);
                }
            };
        });
        Extensions made = new Extensions(time, engine, events, new SplittableRandom(1));
        made.add(List.of(new Candidate(
                "net",
                vlan,
                guard.extension("vlan"),
                () -> new LedgerHost(now, new Ledger(new InMemoryJournal(), "vlan", Clock.systemUTC())))));
        made.follow(new PartListener() {
            @Override
            public void opened(RunningPart part) {
                story.add("opened " + part.name());
            }

            @Override
            public void closing(RunningPart part) {
                story.add("closing " + part.name());
            }
        });
        return made;
    }

    @AfterEach
    void end() {
        extensions.close();
        guard.close();
        engine.close();
    }

    @Test
    void anEnabledExtensionRunsUntilItIsNotEnabledAnyMore() {
        configure(Set.of("vlan"), 1);
        awaitState(State.RUNNING);
        assertThat(extensions.running("vlan"))
                .hasValueSatisfying(part -> assertThat(part.plugin()).isEqualTo("net"));
        configure(Set.of(), 1);
        awaitStory("open 1", "opened vlan", "closing vlan", "close 1");
        assertThat(view().state()).isEqualTo(State.CLOSED);
        assertThat(extensions.running()).isEmpty();
    }

    @Test
    void oneThatIsNotEnabledIsNotOpened() {
        configure(Set.of("other"), 1);
        extensions.close();
        assertThat(story).isEmpty();
    }

    @Test
    void oneThatCannotBeOpenedSaysWhyAndIsTriedAgain() {
        refusals.set(FOR_EVER);
        configure(Set.of("vlan"), 1);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(view()).satisfies(view -> {
                    assertThat(view.state()).isEqualTo(State.FAILED);
                    assertThat(view.cause()).isEqualTo("plugin net: open of vlan: the switch does not answer");
                    assertThat(view.nextTry()).isPresent();
                }));
        await().atMost(PATIENCE).until(() -> refusals.get() <= FOR_EVER - 2);
        refusals.set(0);
        awaitState(State.RUNNING);
        assertThat(view().cause()).isEmpty();
        assertThat(events.types()).as("one event for the same failure").containsExactly("ExtensionFailed");
    }

    @Test
    void aFailedOneIsTriedAtOnceWithOtherSettings() {
        refusedSize = 1;
        configure(Set.of("vlan"), 1);
        awaitState(State.FAILED);
        configure(Set.of("vlan"), 2);
        awaitState(State.RUNNING);
        awaitStory("open 2", "opened vlan");
    }

    @Test
    void aFailedOneThatIsNotWantedAnyMoreIsClosed() {
        refusals.set(FOR_EVER);
        configure(Set.of("vlan"), 1);
        awaitState(State.FAILED);
        configure(Set.of(), 1);
        awaitState(State.CLOSED);
        assertThat(view().cause()).isEmpty();
        assertThat(view().nextTry()).isEmpty();
    }

    @Test
    void changedSettingsAreTakenByThePartThatCan() {
        extensions = extensions(Set.of(Role.NODE), true);
        configure(Set.of("vlan"), 1);
        awaitState(State.RUNNING);
        configure(Set.of("vlan"), 1);
        configure(Set.of("vlan"), 2);
        awaitStory("open 1", "opened vlan", "reconfigure 2");
    }

    @Test
    void aPartThatDoesNotTakeChangedSettingsIsClosedAndOpenedAnew() {
        configure(Set.of("vlan"), 1);
        awaitState(State.RUNNING);
        configure(Set.of("vlan"), 2);
        awaitStory("open 1", "opened vlan", "reconfigure 2", "closing vlan", "close 1", "open 2", "opened vlan");
    }

    @Test
    void anExtensionOfAnotherRoleDoesNotRun() {
        extensions = extensions(Set.of(Role.CLUSTER), false);
        configure(Set.of("vlan"), 1);
        awaitState(State.FAILED);
        assertThat(view().cause()).endsWith("it runs on hosts of role [CLUSTER], and this one has role NODE");
        assertThat(story).isEmpty();
    }

    @Test
    void theEndClosesWhatRuns() {
        configure(Set.of("vlan"), 1);
        awaitState(State.RUNNING);
        extensions.close();
        assertThat(story).containsExactly("open 1", "opened vlan", "closing vlan", "close 1");
    }

    private void configure(Set<String> enabled, int size) {
        Settings settings = Settings.of(List.of(SIZE), Map.of("size", List.of(Integer.toString(size))));
        now = settings;
        extensions.configure(enabled, extension -> settings);
    }

    private ExtensionView view() {
        return extensions.all().get(0);
    }

    private void awaitState(State state) {
        await().atMost(PATIENCE).until(() -> view().state() == state);
    }

    private void awaitStory(String... lines) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(story).containsExactly(lines));
    }
}
