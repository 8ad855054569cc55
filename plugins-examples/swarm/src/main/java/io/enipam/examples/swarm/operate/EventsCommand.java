package io.enipam.examples.swarm.operate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.events.EventLog;
import io.enipam.examples.swarm.events.SwarmEvent;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.DurationText;
import io.enipam.sdk.Feed;
import io.enipam.sdk.Line;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** {@code swarm events}, in the words of {@code docker events}. */
record EventsCommand(EventLog log, Clock clock) implements Command {
    private static final Setting<Boolean> FOLLOW = Setting.flag("follow", false).doc("Wait for more.");
    private static final Setting<List<String>> FILTER = Setting.texts(
                    "filter", "KEY=VALUE", "[a-z]{1,32}=[^\\p{Cntrl}]{1,128}", 32, List.of())
            .doc("Only those of a type, an event, or a network, service, task or node by name or id: type=service.");
    private static final Setting<String> SINCE = Setting.text(
                    "since", "a time, or how long ago", "[0-9A-Za-z:.+-]{0,64}", "")
            .doc("Only those since then: 10m, 1700000000 or 2026-01-02T03:04:05Z.");
    private static final Setting<String> FORMAT = Setting.choice("format", List.of("text", "json"), "text")
            .doc("As docker events prints them, or a JSON object a line.");
    private static final Set<String> OBJECTS = Set.of("network", "service", "task", "node");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long NANOS = 1_000_000_000;

    @Override
    public CommandSpec spec() {
        return CommandSpec.read("What happened lately; with -f also what happens until Ctrl-C.", Swarm.NOUN, "events")
                .option(FOLLOW)
                .option(FILTER)
                .option(SINCE)
                .option(FORMAT);
    }

    @Override
    public Answer run(Call call) {
        Predicate<SwarmEvent> chosen = chosen(call.arguments());
        return Answer.text(log.kept().stream()
                .filter(chosen)
                .map(event -> line(event, call.arguments()).text())
                .collect(Collectors.joining("\n")));
    }

    @Override
    public Optional<Setting<Boolean>> follows() {
        return Optional.of(FOLLOW);
    }

    @Override
    public Feed<Line> follow(Call call, String after, Runnable more) {
        Predicate<SwarmEvent> chosen = chosen(call.arguments());
        Feed<SwarmEvent> events = behind(after, chosen, more);
        return new Feed<>() {
            @Override
            public List<Line> take(int most) {
                return events.take(most).stream()
                        .map(event -> line(event, call.arguments()))
                        .toList();
            }

            @Override
            public void close() {
                events.close();
            }
        };
    }

    private Feed<SwarmEvent> behind(String after, Predicate<SwarmEvent> chosen, Runnable more) {
        try {
            return after.isEmpty() ? log.follow(chosen, more) : log.follow(after, chosen, more);
        } catch (Refused unknown) {
            return log.follow(chosen, more); // the daemon has started anew
        }
    }

    private Predicate<SwarmEvent> chosen(Settings typed) {
        Instant since = since(typed.get(SINCE));
        Map<String, Set<String>> wanted = typed.get(FILTER).stream()
                .collect(Collectors.groupingBy(
                        each -> each.substring(0, each.indexOf('=')),
                        Collectors.mapping(each -> each.substring(each.indexOf('=') + 1), Collectors.toSet())));
        wanted.keySet().stream()
                .filter(key -> !key.equals("type") && !key.equals("event") && !OBJECTS.contains(key))
                .findFirst()
                .ifPresent(key -> {
                    throw Refused.invalid("invalid filter '" + key + "'");
                });
        return event -> !event.at().isBefore(since)
                && wanted.entrySet().stream().allMatch(each -> fits(event, each.getKey(), each.getValue()));
    }

    private static boolean fits(SwarmEvent event, String key, Set<String> values) {
        String type = Inspect.word(event.kind());
        return switch (key) {
            case "type" -> values.contains(type);
            case "event" -> values.contains(Inspect.word(event.action()));
            default ->
                type.equals(key)
                        && (values.contains(event.id())
                                || values.contains(event.attributes().getOrDefault("name", "")));
        };
    }

    private Instant since(String typed) {
        if (typed.isEmpty()) {
            return Instant.MIN;
        }
        try {
            if (typed.matches("[0-9]{1,11}(\\.[0-9]{1,9})?")) {
                BigDecimal seconds = new BigDecimal(typed);
                long whole = seconds.longValue();
                return Instant.ofEpochSecond(
                        whole,
                        seconds.subtract(BigDecimal.valueOf(whole))
                                .multiply(BigDecimal.valueOf(NANOS))
                                .longValue());
            }
            return typed.matches("([0-9.]+[a-z]+)+")
                    ? clock.instant().minus(DurationText.parse(typed))
                    : OffsetDateTime.parse(typed).toInstant();
        } catch (IllegalArgumentException | DateTimeException e) {
            throw Refused.invalid("since: '" + typed + "' is no time, such as 10m or 2026-01-02T03:04:05Z");
        }
    }

    private static Line line(SwarmEvent event, Settings typed) {
        String json = json(event);
        return new Line(typed.get(FORMAT).equals("json") ? json : text(event), json, event.place());
    }

    private static String text(SwarmEvent event) {
        String attributes = event.attributes().entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(", "));
        return event.at() + " " + Inspect.word(event.kind()) + " " + Inspect.word(event.action()) + " " + event.id()
                + " (" + attributes + ")";
    }

    private static String json(SwarmEvent event) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("Type", Inspect.word(event.kind()));
        shown.put("Action", Inspect.word(event.action()));
        shown.put("Actor", Map.of("ID", event.id(), "Attributes", event.attributes()));
        shown.put("scope", "swarm");
        shown.put("time", event.at().getEpochSecond());
        shown.put("timeNano", event.at().getEpochSecond() * NANOS + event.at().getNano());
        try {
            return JSON.writeValueAsString(shown);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an event cannot be shown", e);
        }
    }
}
