package io.enipam.sdk;

import java.util.List;
import java.util.function.Function;

/**
 * Something that {@code doctor} looks at for a {@link Part}. It changes nothing, has 5 s on a thread of the plugin's, and may run
 * several times at once. One that is late or throws is a finding itself.
 */
public interface Check {
    /** {@code [a-z][a-z0-9-]{0,62}}, constant, unique within the plugin; the doctor shows it as {@code PLUGIN/ID}. */
    String id();

    /** What it finds, in a few words without a full stop: "a range is nearly full"; constant. */
    String title();

    /**
     * Looks.
     *
     * @return empty if all is well; the host shows the first 100
     * @throws FactoryException if it could not look; the message is shown
     */
    List<Finding> run(CheckRequest request);

    /** A check of these constants. */
    static Check of(String id, String title, Function<CheckRequest, List<Finding>> look) {
        record Given(String id, String title, Function<CheckRequest, List<Finding>> look) implements Check {
            @Override
            public List<Finding> run(CheckRequest request) {
                return look.apply(request);
            }
        }
        return new Given(id, title, look);
    }
}
