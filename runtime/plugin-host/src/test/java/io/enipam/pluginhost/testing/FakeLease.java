package io.enipam.pluginhost.testing;

import io.enipam.engine.port.Leadership;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** One lease for several replicas, which passes when a test says so. Thread-safe. */
public final class FakeLease {
    private final List<Replica> replicas = new CopyOnWriteArrayList<>();
    private volatile String holder;

    public FakeLease(String holder) {
        this.holder = holder;
    }

    public String holder() {
        return holder;
    }

    /** The former holder is the leader no more, and has not been told. */
    public void expire() {
        holder = "";
    }

    /** Another replica holds it, and all are told. */
    public void passTo(String replica) {
        holder = replica;
        replicas.forEach(each -> each.tell(false));
        replicas.forEach(each -> each.tell(true));
    }

    public Leadership of(String name) {
        Replica made = new Replica(name);
        replicas.add(made);
        return made;
    }

    private final class Replica implements Leadership {
        private final String name;
        private final List<Consumer<Boolean>> listeners = new CopyOnWriteArrayList<>();

        Replica(String name) {
            this.name = name;
        }

        @Override
        public boolean leads() {
            return holder.equals(name);
        }

        @Override
        public Optional<String> leader() {
            return Optional.of(holder);
        }

        @Override
        public void follow(Consumer<Boolean> listener) {
            listeners.add(listener);
            listener.accept(leads());
        }

        void tell(boolean gained) {
            if (leads() == gained) {
                listeners.forEach(listener -> listener.accept(gained));
            }
        }

        @Override
        public void close() {
            listeners.clear();
        }
    }
}
