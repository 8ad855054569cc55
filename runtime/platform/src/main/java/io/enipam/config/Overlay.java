package io.enipam.config;

import java.util.Optional;

/**
 * What a ConfigMap says over the files.
 *
 * @param source what people know it by: {@code configmap kube-system/gpu-nodes}
 * @param eniConf its key {@value #ENI_CONF}: terway's names, as in eni.json
 * @param enipamYaml its key {@value #ENIPAM_YAML}: our names, as in enipam.yaml
 */
public record Overlay(String source, Optional<String> eniConf, Optional<String> enipamYaml) {
    /** Terway's key. */
    public static final String ENI_CONF = "eni_conf";

    /** Ours. */
    public static final String ENIPAM_YAML = "enipam.yaml";

    /** Not its texts: they may say what nobody shall see. */
    @Override
    public String toString() {
        return source;
    }
}
