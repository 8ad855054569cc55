package io.enipam.config;

/** The two configuration files, by what they speak. */
public enum SettingsFile {
    /** Terway's file with terway's names, JSON. */
    ENI_JSON("eni.json"),
    /** enipam's own file, YAML. */
    ENIPAM_YAML("enipam.yaml");

    private final String usualName;

    SettingsFile(String usualName) {
        this.usualName = usualName;
    }

    public String usualName() {
        return usualName;
    }

    /** What a file given on the command line is, by its name: {@code *.json} is terway's, all else is ours. */
    public static SettingsFile ofName(String fileName) {
        return fileName.endsWith(".json") ? ENI_JSON : ENIPAM_YAML;
    }
}
