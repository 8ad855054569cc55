package io.enipam.shell.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Texts that come with the shell, each beside the class that uses it. */
public final class ShippedText {
    private ShippedText() {}

    public static String of(Class<?> user, String name) {
        try (InputStream text = Objects.requireNonNull(user.getResourceAsStream(name), name)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the shell's own jar cannot be read", e);
        }
    }
}
