package io.enipam.kubernetes.api;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The name under which a request is counted: verb and resource, and never the name of an object, so that there are few.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/">API concepts: resource URIs</a>
 */
final class RequestName {
    private RequestName() {}

    static String of(String method, URI uri) {
        String path = uri.getPath() == null ? "" : uri.getPath();
        List<String> parts = new ArrayList<>(List.of(path.split("/")));
        parts.removeIf(String::isEmpty);
        // api/v1/… or apis/GROUP/VERSION/…
        int prefix = !parts.isEmpty() && parts.get(0).equals("apis") ? 3 : 2;
        List<String> rest = parts.size() > prefix ? parts.subList(prefix, parts.size()) : List.of();
        if (rest.size() > 2 && rest.get(0).equals("namespaces")) {
            rest = rest.subList(2, rest.size());
        }
        if (rest.isEmpty()) {
            return method.toUpperCase(Locale.ROOT) + " other";
        }
        String resource = rest.size() > 2 ? rest.get(0) + "/" + rest.get(2) : rest.get(0);
        return verb(method, uri, rest.size() == 1) + " " + resource;
    }

    private static String verb(String method, URI uri, boolean many) {
        String query = uri.getQuery() == null ? "" : uri.getQuery();
        if (query.contains("watch=true")) {
            return "WATCH";
        }
        return many && method.equalsIgnoreCase("GET") ? "LIST" : method.toUpperCase(Locale.ROOT);
    }
}
