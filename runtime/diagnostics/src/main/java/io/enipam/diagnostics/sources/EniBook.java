package io.enipam.diagnostics.sources;

import io.enipam.engine.port.EniDirectory;
import java.util.List;
import java.util.Optional;

/**
 * The ENIs as their factories have them in their books.
 *
 * @param enis ordered by id
 */
public record EniBook(List<EniDirectory.Eni> enis) {
    public EniBook {
        enis = List.copyOf(enis);
    }

    public Optional<EniDirectory.Eni> eni(String id) {
        return enis.stream().filter(eni -> eni.id().equals(id)).findFirst();
    }
}
