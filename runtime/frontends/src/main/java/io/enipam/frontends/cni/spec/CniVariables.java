package io.enipam.frontends.cni.spec;

import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The variables of a call (specification 1.1.0, "Parameters"), checked as far as the command needs them.
 *
 * @param command {@code CNI_COMMAND}
 * @param containerId {@code CNI_CONTAINERID}; empty text where the command is about no container
 * @param netns {@code CNI_NETNS}, an absolute path; empty text for none
 * @param ifName {@code CNI_IFNAME}; empty text where the command is about no container
 * @param args {@code CNI_ARGS} as it came; empty text for none
 * @param anyNetns whether {@code CNI_NETNS_OVERRIDE} allows the daemon's own network namespace
 */
public record CniVariables(
        CniCommand command, String containerId, String netns, String ifName, String args, boolean anyNetns) {
    private static final int LONGEST_NAME = 253;
    private static final int LONGEST_INTERFACE = 15;
    private static final int LONGEST_PATH = 4095;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]*");

    /** As the kernel has them: no slash, no colon, no white space; and nothing that a terminal obeys. */
    private static final Pattern INTERFACE = Pattern.compile("[^\\s/:\\p{Cntrl}]+");

    private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}");

    /** @throws CniException code 4 naming what is missing or malformed */
    public static CniVariables read(Map<String, String> environment) {
        String name = environment.getOrDefault("CNI_COMMAND", "");
        String missing = Stream.concat(
                        Stream.of("CNI_COMMAND"),
                        CniCommand.named(name).map(CniCommand::required).orElse(List.of()).stream())
                .filter(variable -> environment.getOrDefault(variable, "").isEmpty())
                .collect(Collectors.joining(","));
        if (!missing.isEmpty()) {
            throw CniException.environment("required env variables [" + missing + "] missing");
        }
        CniCommand command = CniCommand.named(name)
                .orElseThrow(() -> CniException.environment("unknown CNI_COMMAND: " + CniException.quoted(name)));
        String container = environment.getOrDefault("CNI_CONTAINERID", "");
        String ifName = environment.getOrDefault("CNI_IFNAME", "");
        String netns = environment.getOrDefault("CNI_NETNS", "");
        if (command.hasContainer()) {
            requireContainer("CNI_CONTAINERID", container);
            requireInterface("CNI_IFNAME", ifName);
        }
        if (command.required().contains("CNI_NETNS")) {
            requirePath(netns);
        }
        String override = environment.getOrDefault("CNI_NETNS_OVERRIDE", "");
        return new CniVariables(
                command,
                command.hasContainer() ? container : "",
                netns,
                command.hasContainer() ? ifName : "",
                environment.getOrDefault("CNI_ARGS", ""),
                override.equals("1") || override.equalsIgnoreCase("true"));
    }

    static boolean isName(String text) {
        return text.length() <= LONGEST_NAME && NAME.matcher(text).matches();
    }

    static void requireContainer(String variable, String id) {
        if (!isName(id)) {
            throw CniException.environment(
                    "invalid characters in containerID: " + variable + " is " + CniException.quoted(id) + ", and 1 to "
                            + LONGEST_NAME + " of [A-Za-z0-9_.-] are allowed, a letter or digit first");
        }
    }

    static void requireInterface(String variable, String name) {
        String wrong = "";
        if (name.getBytes(StandardCharsets.UTF_8).length > LONGEST_INTERFACE) {
            wrong = "it is longer than " + LONGEST_INTERFACE + " characters";
        } else if (name.equals(".") || name.equals("..")) {
            wrong = "it is . or ..";
        } else if (!INTERFACE.matcher(name).matches()) {
            wrong = "it is empty or contains / or : or white space";
        }
        if (!wrong.isEmpty()) {
            throw CniException.environment(
                    "invalid interface name: " + variable + " is " + CniException.quoted(name) + ": " + wrong);
        }
    }

    private static void requirePath(String netns) {
        if (!netns.startsWith("/")
                || netns.length() > LONGEST_PATH
                || CONTROLS.matcher(netns).find()) {
            throw CniException.environment("CNI_NETNS is " + CniException.quoted(netns)
                    + ", which is not the absolute path of a network namespace");
        }
    }

    public enum CniCommand {
        ADD(SpecVersion.V0_1_0, "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"),
        DEL(SpecVersion.V0_1_0, "CNI_CONTAINERID", "CNI_IFNAME"),
        CHECK(SpecVersion.V0_4_0, "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"),
        GC(SpecVersion.V1_1_0, "CNI_PATH"),
        STATUS(SpecVersion.V1_1_0),
        VERSION(SpecVersion.V0_1_0);

        private final SpecVersion since;
        private final List<String> required;

        CniCommand(SpecVersion since, String... required) {
            this.since = since;
            this.required = List.of(required);
        }

        /** The variables it cannot do without, beside {@code CNI_COMMAND}; in the order in which a message names them. */
        List<String> required() {
            return required;
        }

        /** Whether it is about one container. */
        boolean hasContainer() {
            return required.contains("CNI_CONTAINERID");
        }

        public static Optional<CniCommand> named(String name) {
            return Arrays.stream(values())
                    .filter(command -> command.name().equals(name))
                    .findFirst();
        }

        /** @throws CniException code 1 if a configuration of this version has no such command */
        public void requireIn(SpecVersion version) {
            if (version.compareTo(since) < 0) {
                throw new CniException(
                        CniErrorCode.INCOMPATIBLE_VERSION,
                        "config version does not allow " + name(),
                        "config is \"" + version.text() + "\", and " + name() + " came with \"" + since.text() + "\"");
            }
        }
    }
}
