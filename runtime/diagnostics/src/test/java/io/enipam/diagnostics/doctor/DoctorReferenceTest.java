package io.enipam.diagnostics.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The reference in the repository is what the checks say of themselves. After a wanted change run this once with {@code
 * -Dreference.write=true}.
 */
class DoctorReferenceTest {
    private static final Path FILE = Path.of("../docs/doctor.md");

    @Test
    void theReferenceSaysWhatTheChecksSay() throws IOException {
        List<String> lines = Catalogue.reference();
        if (Boolean.getBoolean("reference.write")) {
            Files.write(FILE, lines);
        }

        assertThat(lines).isEqualTo(Files.readAllLines(FILE));
        Catalogue.all().forEach(check -> assertThat(lines).contains("## `" + check.id() + "`"));
    }
}
