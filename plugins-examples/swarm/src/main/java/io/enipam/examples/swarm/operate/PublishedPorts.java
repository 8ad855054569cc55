package io.enipam.examples.swarm.operate;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Port;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What {@code --publish} takes: {@code [PUBLISHED:]TARGET[/PROTOCOL]}, or {@code published=N,target=N,protocol=P,mode=M}. */
final class PublishedPorts {
    private static final Set<String> KEYS = Set.of("published", "target", "protocol", "mode");

    private PublishedPorts() {}

    /**
     * Reads ports.
     *
     * @param typed values; the long form of one port is in one of them, or was separated at its commas
     */
    static List<Port> read(List<String> typed) {
        List<Port> ports = new ArrayList<>();
        Map<String, String> port = new LinkedHashMap<>();
        for (String text : String.join(",", typed).split(",")) {
            if (text.isEmpty()) {
                continue;
            }
            int at = text.indexOf('=');
            String key = at < 0 ? "" : text.substring(0, at);
            if (!key.isEmpty() && !KEYS.contains(key)) {
                throw invalid(text);
            }
            if (!port.isEmpty() && (key.isEmpty() || port.containsKey(key))) {
                ports.add(ofLongForm(port));
                port.clear();
            }
            if (key.isEmpty()) {
                ports.add(ofShortForm(text));
            } else {
                port.put(key, text.substring(at + 1));
            }
        }
        if (!port.isEmpty()) {
            ports.add(ofLongForm(port));
        }
        return ports;
    }

    private static Port ofShortForm(String text) {
        int slash = text.indexOf('/');
        String numbers = slash < 0 ? text : text.substring(0, slash);
        int colon = numbers.indexOf(':');
        return made(
                text,
                Map.of(
                        "protocol", slash < 0 ? "tcp" : text.substring(slash + 1),
                        "published", colon < 0 ? "0" : numbers.substring(0, colon),
                        "target", numbers.substring(colon + 1)));
    }

    private static Port ofLongForm(Map<String, String> port) {
        String text = port.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(","));
        return made(text, port);
    }

    private static Port made(String text, Map<String, String> port) {
        try {
            return new Port(
                    "",
                    Port.Protocol.valueOf(port.getOrDefault("protocol", "tcp").toUpperCase(Locale.ROOT)),
                    number(port.getOrDefault("target", "")),
                    number(port.getOrDefault("published", "0")),
                    Port.Mode.valueOf(port.getOrDefault("mode", "ingress").toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
            throw invalid(text);
        }
    }

    private static int number(String text) {
        int number = Integer.parseInt(text);
        if (number < 0 || number > Port.LAST) {
            throw new NumberFormatException(text);
        }
        return number;
    }

    private static Refused invalid(String text) {
        return Refused.invalid("'" + text + "' is no port: use 8080:80/tcp, or published=8080,target=80,mode=host");
    }

    /** As {@code docker service ls} shows one. */
    static String text(Port port) {
        String text = port.published() + "->" + port.target() + "/" + Inspect.word(port.protocol());
        return port.mode() == Port.Mode.HOST ? text + " (host)" : "*:" + text;
    }
}
