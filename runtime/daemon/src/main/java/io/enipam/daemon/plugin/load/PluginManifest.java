package io.enipam.daemon.plugin.load;

import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import org.osgi.framework.Version;
import org.osgi.framework.VersionRange;

/**
 * What a plugin's manifest says of it, read before any of its classes is.
 *
 * @param id {@code Plugin-Id}: {@code [a-z][a-z0-9-]{0,62}}, its name everywhere
 * @param version {@code Plugin-Version}, such as {@code 1.4.0}
 * @param sdkRange {@code Sdk-Version}: the versions of the SDK it was made for, as OSGi writes ranges: {@code [0.1,0.2)} is
 *     0.1 and later, but before 0.2; {@code 0.1} alone is 0.1 and whatever comes later
 */
public record PluginManifest(String id, String version, String sdkRange) {
    static final String ID = "Plugin-Id";
    static final String VERSION = "Plugin-Version";
    static final String SDK = "Sdk-Version";

    private static final Pattern ID_SHAPE = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final Pattern VERSION_SHAPE = Pattern.compile("[0-9A-Za-z][0-9A-Za-z.+_-]{0,62}");
    private static final int LONGEST_RANGE = 64;

    static PluginManifest of(Manifest manifest) throws PluginRejection {
        String id = attribute(manifest, ID);
        if (!ID_SHAPE.matcher(id).matches()) {
            throw new PluginRejection("its " + ID + " '" + shown(id) + "' does not match " + ID_SHAPE);
        }
        String version = attribute(manifest, VERSION);
        if (!VERSION_SHAPE.matcher(version).matches()) {
            throw new PluginRejection("its " + VERSION + " '" + shown(version) + "' does not match " + VERSION_SHAPE);
        }
        return new PluginManifest(id, version, attribute(manifest, SDK));
    }

    /** Refuses a plugin that was made for other versions of the SDK. */
    void requireFor(String sdkVersion) throws PluginRejection {
        VersionRange range;
        try {
            if (sdkRange.length() > LONGEST_RANGE) {
                throw new IllegalArgumentException("too long");
            }
            range = new VersionRange(sdkRange);
        } catch (IllegalArgumentException e) {
            throw new PluginRejection(
                    "its " + SDK + " '" + shown(sdkRange) + "' is no range of versions; write it as [0.1,0.2)", e);
        }
        if (!range.includes(Version.parseVersion(sdkVersion))) {
            throw new PluginRejection("it was made for SDK " + sdkRange + ", and this is SDK " + sdkVersion
                    + "; get a version of the plugin for this SDK");
        }
    }

    private static String attribute(Manifest manifest, String name) throws PluginRejection {
        String value = manifest.getMainAttributes().getValue(new Attributes.Name(name));
        if (value == null || value.isBlank()) {
            throw new PluginRejection("its manifest has no " + name + "; a plugin names Plugin-Id, Plugin-Version and"
                    + " Sdk-Version there");
        }
        return value.strip();
    }

    private static String shown(String text) {
        String printable = text.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= LONGEST_RANGE ? printable : printable.substring(0, LONGEST_RANGE - 3) + "...";
    }
}
