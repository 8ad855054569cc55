package io.enipam.sdk.testkit;

import io.enipam.sdk.Codec;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Host;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Next;
import io.enipam.sdk.Part;
import io.enipam.sdk.Role;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Controllers that break one rule each, and the test of the contract that finds it. */
final class FlawedControllers {
    private FlawedControllers() {}

    /** Nodes that come and go, and the number that each has outside. */
    static final class World {
        final Set<String> nodes = new TreeSet<>();
        final Map<String, String> outside = new TreeMap<>();
        private final Set<Source.Sink> watching = new HashSet<>();

        void toggle(String node) {
            if (!nodes.remove(node)) {
                nodes.add(node);
            }
            watching.forEach(sink -> sink.changed(node));
        }
    }

    /** The contract of a flawed controller; the world outlives its parts. */
    abstract static class Flawed extends ControllerContract {
        private final World world = new World();
        private final BiFunction<Host, World, Part> open;

        Flawed(BiFunction<Host, World, Part> open) {
            this.open = open;
        }

        @Override
        protected Extension extension() {
            return Extension.of("flawed", Set.of(Role.NODE), host -> open.apply(host, world));
        }

        @Override
        protected List<String> keys() {
            return List.of("n1", "n2", "n3");
        }

        @Override
        protected void change(String key, Random random) {
            world.toggle(key);
        }

        @Override
        protected Set<String> outside() {
            return world.outside.entrySet().stream().map(String::valueOf).collect(Collectors.toSet());
        }

        @Override
        protected Optional<String> unwanted(Journal tables) {
            Map<String, String> rows = rows(tables);
            return world.outside.equals(rows) && rows.keySet().equals(world.nodes)
                    ? Optional.empty()
                    : Optional.of("nodes " + world.nodes + ", rows " + rows + ", outside " + world.outside);
        }

        @Override
        protected Optional<String> violated(Journal tables) {
            Map<String, String> rows = rows(tables);
            return new HashSet<>(rows.values()).size() == rows.size()
                    ? Optional.empty()
                    : Optional.of("a number was given twice: " + rows);
        }

        private static Map<String, String> rows(Journal tables) {
            return tables.read(tx -> tx.scan(Sound.NUMBERS, "")
                    .collect(Collectors.toMap(Row::key, Row::value, (one, other) -> one, TreeMap::new)));
        }

        @Override
        protected int histories() {
            return 30;
        }
    }

    /** Gives each node the lowest number that is free, and notes it outside. Sound; subclasses change a part. */
    static class Sound implements Controller {
        static final Table<String> NUMBERS = new Table<>("numbers", 1, Codec.text());

        final World world;
        final Journal journal;

        Sound(Host host, World world) {
            this.world = world;
            journal = host.journal();
            journal.open(NUMBERS);
        }

        @Override
        public List<Source> watches() {
            return List.of(nodes(true), Source.ofTable(journal, NUMBERS));
        }

        Source nodes(boolean lists) {
            return new Source() {
                @Override
                public String name() {
                    return "nodes";
                }

                @Override
                public AutoCloseable open(Sink sink) {
                    if (lists) {
                        world.nodes.forEach(sink::changed);
                    }
                    world.watching.add(sink);
                    sink.synced();
                    return () -> world.watching.remove(sink);
                }
            };
        }

        @Override
        public Next reconcile(String node, Transaction tx) {
            boolean exists = world.nodes.contains(node);
            boolean has = tx.get(NUMBERS, node).isPresent();
            if (exists && !has) {
                String free = free(tx);
                tx.put(NUMBERS, node, free);
                tx.effect("note", node, free);
            } else if (has && !exists) {
                tx.delete(NUMBERS, node);
                tx.effect("erase", node, "");
            }
            return Next.done();
        }

        String free(Transaction tx) {
            Set<String> taken = tx.scan(NUMBERS, "").map(Row<String>::value).collect(Collectors.toSet());
            return IntStream.iterate(1, i -> i + 1)
                    .mapToObj(Integer::toString)
                    .filter(number -> !taken.contains(number))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public CompletionStage<EffectResult> perform(Effect effect) {
            if (effect.handler().equals("note")) {
                world.outside.put(effect.token(), effect.arguments());
            } else {
                world.outside.remove(effect.token());
            }
            return CompletableFuture.completedStage(EffectResult.performed());
        }
    }

    @Breaks(
            value = "theSourcesTellEachKeyThatExistsOrChanges",
            saying = "not told",
            orAlso = "allComesToBeAsWantedWhateverCrashes")
    static class ListsNothing extends Flawed {
        ListsNothing() {
            super((host, world) -> new Sound(host, world) {
                @Override
                public List<Source> watches() {
                    return List.of(nodes(false));
                }
            });
        }
    }

    @Breaks(
            value = "reconcileRunAgainDoesTheSame",
            saying = "writes the same",
            orAlso = "allComesToBeAsWantedWhateverCrashes")
    static class CountsInAField extends Flawed {
        CountsInAField() {
            super((host, world) -> new Sound(host, world) {
                private int next = 100;

                @Override
                String free(Transaction tx) {
                    return Integer.toString(next++) + super.free(tx);
                }
            });
        }
    }

    @Breaks(
            value = "anEffectPerformedAgainChangesNothing",
            saying = "performed again",
            orAlso = "allComesToBeAsWantedWhateverCrashes")
    static class RefusesAReplay extends Flawed {
        RefusesAReplay() {
            super((host, world) -> new Sound(host, world) {
                @Override
                public CompletionStage<EffectResult> perform(Effect effect) {
                    return effect.arguments().equals(world.outside.get(effect.token()))
                            ? CompletableFuture.completedStage(Failed.of(ErrorKind.CONFLICT, "it is there"))
                            : super.perform(effect);
                }
            });
        }
    }

    @Breaks(value = "nothingIsWrittenWhereAllIsAsWanted", saying = "has nothing to do")
    static class WritesWhatIsThere extends Flawed {
        WritesWhatIsThere() {
            super((host, world) -> new Sound(host, world) {
                @Override
                public Next reconcile(String node, Transaction tx) {
                    tx.get(NUMBERS, node).ifPresent(row -> tx.put(NUMBERS, node, row.value()));
                    return super.reconcile(node, tx);
                }
            });
        }
    }

    @Breaks(
            value = "theOrderOfKeysDoesNotMatter",
            saying = "order in which keys",
            orAlso = "allComesToBeAsWantedWhateverCrashes")
    static class NeedsTheOneBefore extends Flawed {
        NeedsTheOneBefore() {
            super((host, world) -> new Sound(host, world) {
                @Override
                public Next reconcile(String node, Transaction tx) {
                    boolean ready = world.nodes.stream()
                            .filter(other -> other.compareTo(node) < 0)
                            .allMatch(other -> tx.get(NUMBERS, other).isPresent());
                    return ready ? super.reconcile(node, tx) : Next.done();
                }
            });
        }
    }

    @Breaks(value = "allComesToBeAsWantedWhateverCrashes", saying = "whatever crashed before")
    static class ForgetsWhatWasDeletedWhileItWasAway extends Flawed {
        ForgetsWhatWasDeletedWhileItWasAway() {
            super((host, world) -> new Sound(host, world) {
                @Override
                public List<Source> watches() {
                    return List.of(nodes(true));
                }
            });
        }
    }

    @Breaks(value = "allComesToBeAsWantedWhateverCrashes", saying = "invariants hold")
    static class LooksAtNoTable extends Flawed {
        LooksAtNoTable() {
            super((host, world) -> new Sound(host, world) {
                @Override
                String free(Transaction tx) {
                    return "1";
                }
            });
        }
    }
}
