package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.net.URI;

/**
 * A watch that has to list its pods again takes what the API server has in its cache, and not what is on the disks of etcd: ten
 * thousand nodes do so at the same time when a history is forgotten. What is a little old there is put right by the watch that
 * follows. Single requests, which want the truth, are left as they are. Thread-safe.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions">API concepts: resource versions</a>
 */
final class CachedListInterceptor implements Interceptor {
    @Override
    public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
        URI uri = request.uri();
        String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
        RequestConfig config = tags.getTag(RequestConfig.class);
        boolean patient = config == null || config.getRequestRetryBackoffLimit() > 0;
        if (patient
                && RequestName.of(request.method(), uri).equals("LIST pods")
                && !query.contains("resourceVersion=")
                && !query.contains("continue=")) {
            builder.uri(URI.create(uri + (query.isEmpty() ? "?" : "&") + "resourceVersion=0"));
        }
    }
}
