package io.enipam.shell.pty;

import com.pty4j.PtyProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Types at a program on a pseudo-terminal and waits for what it writes. For one thread. */
final class Typist implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    /** What came, and when. */
    private record Echo(String text, long nanos) {}

    private final PtyProcess process;
    private final BlockingQueue<Echo> echoes = new LinkedBlockingQueue<>();

    Typist(PtyProcess process) {
        this.process = process;
        Thread reader = new Thread(this::read, "echo");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        byte[] buffer = new byte[8192];
        try (InputStream out = process.getInputStream()) {
            for (int n = out.read(buffer); n >= 0; n = out.read(buffer)) {
                echoes.add(new Echo(new String(buffer, 0, n, StandardCharsets.UTF_8), System.nanoTime()));
            }
        } catch (IOException e) {
            echoes.add(new Echo("[gone]", System.nanoTime()));
        }
    }

    /** Waits until a text has come. */
    void await(String text) throws InterruptedException {
        StringBuilder seen = new StringBuilder();
        while (seen.indexOf(text) < 0) {
            seen.append(next("'" + text + "'; it wrote: " + seen).text());
        }
    }

    /** Presses a key; returns how many nanoseconds went by until the first byte of its echo. */
    long press(char key) throws IOException, InterruptedException {
        echoes.clear();
        long pressed = System.nanoTime();
        process.getOutputStream().write(key);
        process.getOutputStream().flush();
        return next("an echo of '" + key + "'").nanos() - pressed;
    }

    private Echo next(String what) throws InterruptedException {
        Echo echo = echoes.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (echo == null) {
            throw new IllegalStateException("the program does not write " + what);
        }
        return echo;
    }

    void type(String text) throws IOException {
        process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
