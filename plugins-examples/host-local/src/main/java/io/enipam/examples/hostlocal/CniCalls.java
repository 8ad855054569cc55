package io.enipam.examples.hostlocal;

import io.enipam.sdk.CniService.CniAnswer;
import io.enipam.sdk.CniService.CniCall;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The CNI protocol as the Go plugin speaks it, from 0.1.0 to 1.0.0, and 1.1.0 with GC and STATUS, which it lacks: the same checks in the
 * same order, the same codes and words. Thread-safe.
 */
final class CniCalls {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9_.-]*");
    private static final Pattern NO_INTERFACE = Pattern.compile(".*[\\s/:].*", Pattern.DOTALL);
    private static final int LONGEST_INTERFACE = 15;
    private static final List<String> VALID = List.of("cni.dev/valid-attachments", "cni.dev/attachments");
    private static final List<String> WITH_CONTAINER = List.of("ADD", "CHECK", "DEL");

    private final HostLocal hostLocal;
    private final Path dataDir;
    private final Listener listener;

    /** @param listener is told what becomes of each call, before its caller is */
    CniCalls(HostLocal hostLocal, Path dataDir, Listener listener) {
        this.hostLocal = hostLocal;
        this.dataDir = dataDir;
        this.listener = listener;
    }

    /** Is told what becomes of calls. Must not block; thread-safe. */
    interface Listener {
        /** An ADD got an address of each set. */
        default void granted(NetConf conf) {}

        /** An ADD got none, since a set has no address left; {@link #failed} follows. */
        default void full(NetConf conf, Refused why) {}

        /** A call is answered with an error. */
        default void failed(String command, Refused why) {}
    }

    CniAnswer serve(CniCall call) {
        String command = call.environment().getOrDefault("CNI_COMMAND", "");
        if (command.isEmpty()) {
            return new CniAnswer(
                    0,
                    "",
                    "CNI host-local plugin of enipam\nCNI protocol versions supported: "
                            + CniVersion.texts().collect(Collectors.joining(", ")) + "\n");
        }
        try {
            return new CniAnswer(0, answer(command, call), "");
        } catch (Refused e) {
            return refused(command, e);
        } catch (IOException e) {
            return refused(command, Refused.of(String.valueOf(e.getMessage())));
        }
    }

    private CniAnswer refused(String command, Refused why) {
        listener.failed(command, why);
        return new CniAnswer(1, ResultText.error(why), "");
    }

    private String answer(String command, CniCall call) throws Refused, IOException {
        if (command.equals("VERSION")) {
            return versions(call.configuration());
        }
        Map<String, String> environment = call.environment();
        requireVariables(command, environment);
        GoJson conf = GoJson.read(call.configuration());
        String name = name(conf);
        if (!command.equals("GC") && !command.equals("STATUS")) {
            requireContainer(environment.getOrDefault("CNI_CONTAINERID", ""));
            requireInterface(environment.getOrDefault("CNI_IFNAME", ""));
        }
        Owner owner =
                new Owner(environment.getOrDefault("CNI_CONTAINERID", ""), environment.getOrDefault("CNI_IFNAME", ""));
        return switch (command) {
            case "ADD" -> add(read(conf, name, environment), CniVersion.of(conf), owner);
            case "DEL" -> {
                hostLocal.del(read(conf, name, environment), owner);
                yield "";
            }
            case "CHECK" -> {
                CniVersion.of(conf).require(CniVersion.V0_4_0, command);
                hostLocal.check(read(conf, name, environment), owner);
                yield "";
            }
            case "GC" -> {
                CniVersion.of(conf).require(CniVersion.V1_1_0, command);
                gc(read(conf, name, environment), conf);
                yield "";
            }
            case "STATUS" -> {
                CniVersion.of(conf).require(CniVersion.V1_1_0, command);
                status(conf, name, environment);
                yield "";
            }
            default -> throw new Refused(Refused.ENVIRONMENT, "unknown CNI_COMMAND: " + command, "");
        };
    }

    private NetConf read(GoJson conf, String name, Map<String, String> environment) throws Refused {
        return NetConf.read(conf, CniVersion.of(conf), name, environment.getOrDefault("CNI_ARGS", ""), dataDir);
    }

    private String add(NetConf conf, CniVersion version, Owner owner) throws Refused, IOException {
        ResolvConf dns = conf.resolvConf().isPresent()
                ? ResolvConf.read(conf.resolvConf().get())
                : ResolvConf.NONE;
        try {
            List<ResultText.Given> given = hostLocal.add(conf, owner);
            listener.granted(conf);
            return ResultText.result(version, given, conf.routes(), dns);
        } catch (Refused e) {
            if (e.isFull()) {
                listener.full(conf, e);
            }
            throw e;
        }
    }

    /** Without a list nothing is done: a mistake must not end what is meant to be kept. */
    private void gc(NetConf conf, GoJson written) throws Refused, IOException {
        Set<Owner> valid = new HashSet<>();
        boolean told = false;
        for (String key : VALID) {
            GoJson list = written.at(key);
            told |= !list.isAbsent();
            for (GoJson attachment : list.elements("[]types.GCAttachment")) {
                String container = attachment
                        .object("types.GCAttachment")
                        .at("containerID")
                        .text("string")
                        .orElse("");
                String ifName = attachment.at("ifname").text("string").orElse("");
                requireContainer(container);
                requireInterface(ifName);
                valid.add(new Owner(container, ifName));
            }
        }
        if (told) {
            hostLocal.gc(conf, valid);
        }
    }

    private void status(GoJson conf, String name, Map<String, String> environment) throws Refused {
        try {
            hostLocal.status(read(conf, name, environment));
        } catch (Refused e) {
            throw e.code() == Refused.INTERNAL ? new Refused(Refused.NOT_AVAILABLE, e.text(), e.details()) : e;
        } catch (IOException e) {
            throw new Refused(Refused.NOT_AVAILABLE, String.valueOf(e.getMessage()), "");
        }
    }

    private static String versions(String configuration) {
        String echoed = CniVersion.V1_1_0.text();
        try {
            echoed = configuration.isBlank()
                    ? echoed
                    : CniVersion.of(GoJson.read(configuration)).text();
        } catch (Refused e) {
            // what is asked with an unreadable configuration is answered as well
        }
        return "{\"cniVersion\":\"" + echoed + "\",\"supportedVersions\":["
                + CniVersion.texts().map(text -> "\"" + text + "\"").collect(Collectors.joining(",")) + "]}\n";
    }

    private static void requireVariables(String command, Map<String, String> environment) throws Refused {
        List<String> required = new ArrayList<>();
        if (WITH_CONTAINER.contains(command)) {
            required.add("CNI_CONTAINERID");
            if (!command.equals("DEL")) {
                required.add("CNI_NETNS");
            }
            required.add("CNI_IFNAME");
        }
        if (WITH_CONTAINER.contains(command) || command.equals("GC")) {
            required.add("CNI_PATH");
        }
        required.removeIf(name -> !environment.getOrDefault(name, "").isEmpty());
        if (!required.isEmpty()) {
            throw new Refused(
                    Refused.ENVIRONMENT, "required env variables [" + String.join(",", required) + "] missing", "");
        }
    }

    private static String name(GoJson conf) throws Refused {
        String text;
        try {
            text = conf.at("name").text("string").orElse("");
        } catch (Refused e) {
            throw GoJson.unreadable(e.text());
        }
        if (text.isEmpty()) {
            throw new Refused(Refused.CONFIGURATION, "missing network name", "");
        }
        if (!NAME.matcher(text).matches()) {
            throw new Refused(Refused.CONFIGURATION, "invalid characters found in network name", text);
        }
        return text;
    }

    private static void requireContainer(String id) throws Refused {
        if (id.isEmpty()) {
            throw new Refused(Refused.UNKNOWN_CONTAINER, "missing containerID", "");
        }
        if (!NAME.matcher(id).matches()) {
            throw new Refused(Refused.ENVIRONMENT, "invalid characters in containerID", id);
        }
    }

    private static void requireInterface(String name) throws Refused {
        if (name.isEmpty()) {
            throw new Refused(Refused.ENVIRONMENT, "interface name is empty", "");
        }
        if (name.length() > LONGEST_INTERFACE) {
            throw new Refused(
                    Refused.ENVIRONMENT,
                    "interface name is too long",
                    "interface name should be less than 16 characters");
        }
        if (name.equals(".") || name.equals("..")) {
            throw new Refused(Refused.ENVIRONMENT, "interface name is . or ..", "");
        }
        if (NO_INTERFACE.matcher(name).matches()) {
            throw new Refused(Refused.ENVIRONMENT, "interface name contains / or : or whitespace characters", "");
        }
    }
}
