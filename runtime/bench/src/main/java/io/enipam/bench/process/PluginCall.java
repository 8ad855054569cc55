package io.enipam.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Calls a CNI plugin as a container runtime does: by a process for each call. Thread-safe.
 *
 * @param plugin the executable
 * @param config file of the network configuration, the standard input of each call
 * @param environment variables beside those of the call
 */
record PluginCall(Path plugin, Path config, Map<String, String> environment) {
    PluginCall {
        environment = Map.copyOf(environment);
    }

    /**
     * Calls it once, from exec to exit.
     *
     * @param command {@code ADD} or {@code DEL}
     * @param number of the pod, which is called {@code pod-} and this
     * @throws IllegalStateException with what the plugin said, if it failed
     */
    void run(String command, int number, String netns) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(plugin.toString())
                .redirectInput(config.toFile())
                .redirectErrorStream(true);
        String pod = "pod-" + number;
        Map<String, String> variables = new HashMap<>(environment);
        variables.put("CNI_COMMAND", command);
        variables.put("CNI_CONTAINERID", pod);
        variables.put("CNI_NETNS", netns);
        variables.put("CNI_IFNAME", "eth0");
        variables.put("CNI_PATH", String.valueOf(plugin.getParent()));
        variables.put(
                "CNI_ARGS",
                "IgnoreUnknown=1;K8S_POD_NAMESPACE=bench;K8S_POD_NAME=" + pod + ";K8S_POD_UID=" + PodApi.uid(number));
        builder.environment().putAll(variables);
        Process process = builder.start();
        byte[] said = process.getInputStream().readAllBytes();
        int status = process.waitFor();
        if (status != 0) {
            throw new IllegalStateException("status " + status + " of " + command + " by " + plugin + ": "
                    + new String(said, StandardCharsets.UTF_8).strip());
        }
    }
}
