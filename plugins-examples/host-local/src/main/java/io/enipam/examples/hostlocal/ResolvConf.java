package io.enipam.examples.hostlocal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What {@code resolv.conf} says (resolv.conf(5)), as a result tells it. */
record ResolvConf(List<String> nameservers, String domain, List<String> search, List<String> options) {
    static final ResolvConf NONE = new ResolvConf(List.of(), "", List.of(), List.of());

    /** @throws Refused code 999 if it cannot be read */
    static ResolvConf read(String path) throws Refused {
        List<String> lines;
        try {
            lines = Files.readString(Path.of(path), StandardCharsets.ISO_8859_1)
                    .lines()
                    .toList();
        } catch (NoSuchFileException e) {
            throw Refused.of("open " + path + ": no such file or directory");
        } catch (InvalidPathException e) {
            throw Refused.of("open " + path + ": invalid argument");
        } catch (AccessDeniedException e) {
            throw Refused.of("open " + path + ": permission denied");
        } catch (IOException e) {
            throw Refused.of("open " + path + ": " + e.getMessage());
        }
        List<String> nameservers = new ArrayList<>();
        List<String> search = new ArrayList<>();
        List<String> options = new ArrayList<>();
        String domain = "";
        for (String line : lines) {
            List<String> fields = Arrays.asList(line.strip().split("\\s+"));
            if (line.strip().startsWith("#") || line.strip().startsWith(";") || fields.size() < 2) {
                continue;
            }
            List<String> values = fields.subList(1, fields.size());
            switch (fields.get(0)) {
                case "nameserver" -> nameservers.add(values.get(0));
                case "domain" -> domain = values.get(0);
                case "search" -> search.addAll(values);
                case "options" -> options.addAll(values);
                default -> {
                    // what a result has no field for
                }
            }
        }
        return new ResolvConf(nameservers, domain, search, options);
    }
}
