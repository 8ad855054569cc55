package io.enipam.frontends.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.v1.AuditEntry;
import io.enipam.v1.ListAuditRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code ListAudit}: who changed what, from the files of the audit log. Thread-safe; reads files.
 *
 * @param users of this machine, passwd(5)
 */
record AuditHandler(AuditLog log, Path users) {
    private static final Logger LOG = LoggerFactory.getLogger(AuditHandler.class);
    private static final int MOST = 10_000;
    private static final JsonMapper JSON = new JsonMapper();

    List<AuditEntry> entries(ListAuditRequest request) {
        int limit = request.getLimit() <= 0 ? MOST : Math.min(MOST, request.getLimit());
        Map<Long, String> names = names();
        Instant from = request.hasFrom() ? Proto.instant(request.getFrom()) : Instant.MIN;
        Predicate<AuditEntry> asked = entry -> !Proto.instant(entry.getAt()).isBefore(from)
                && (request.getUser().isEmpty()
                        || entry.getUser().equals(request.getUser())
                        || Long.toString(entry.getUid()).equals(request.getUser()))
                && !(request.getFailed() && entry.getOutcome().equals("OK"));
        LinkedList<AuditEntry> last = new LinkedList<>();
        for (Path file : log.files()) {
            if (last.size() < limit) {
                LinkedList<AuditEntry> older = read(file, names, asked, limit - last.size());
                last.addAll(0, older);
            }
        }
        return last;
    }

    private static LinkedList<AuditEntry> read(
            Path file, Map<Long, String> names, Predicate<AuditEntry> asked, int limit) {
        LinkedList<AuditEntry> last = new LinkedList<>();
        // not Files.lines, which reads nothing of a file in which a full disk has cut one character
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            lines.lines()
                    .flatMap(line -> entry(line, names).stream())
                    .filter(asked)
                    .forEach(entry -> {
                        last.addLast(entry);
                        if (last.size() > limit) {
                            last.removeFirst();
                        }
                    });
        } catch (NoSuchFileException e) {
            LOG.debug("there is no {}", file);
        } catch (IOException | UncheckedIOException e) {
            throw new IpamException(
                    ErrorCode.INTERNAL, file + " cannot be read: " + e.getMessage(), "look at the disk", e);
        }
        return last;
    }

    /** Empty of a line that a full disk has cut. */
    private static Optional<AuditEntry> entry(String line, Map<Long, String> names) {
        try {
            JsonNode json = JSON.readTree(line);
            long uid = json.path("uid").asLong();
            return Optional.of(AuditEntry.newBuilder()
                    .setAt(Proto.timestamp(Instant.parse(json.path("time").asText())))
                    .setUid(uid)
                    .setUser(names.getOrDefault(uid, ""))
                    .setPid(json.path("pid").asInt())
                    .setCaller(json.path("caller").asText())
                    .setCommand(json.path("command").asText())
                    .setPod(json.path("pod").asText())
                    .setContainer(json.path("container").asText())
                    .setName(json.path("name").asText())
                    .setDryRun(json.path("dryRun").asBoolean())
                    .setOutcome(json.path("outcome").asText())
                    .setCount(json.path("count").asLong(1))
                    .build());
        } catch (JsonProcessingException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private Map<Long, String> names() {
        Map<Long, String> names = new HashMap<>();
        // the names of people in it may have any encoding
        try (Stream<String> lines = Files.lines(users, StandardCharsets.ISO_8859_1)) {
            lines.map(line -> line.split(":", -1))
                    .filter(fields -> fields.length > 2 && fields[2].matches("\\d{1,10}"))
                    .forEach(fields -> names.putIfAbsent(Long.valueOf(fields[2]), fields[0]));
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("the users have no names: {}", e.toString());
        }
        return names;
    }
}
