package io.enipam.sdk.cluster;

/**
 * Where an object is: its kind and its name. A later object of the name has the same.
 *
 * @param namespace empty text for a kind without namespaces
 */
public record ObjectRef(ObjectKind kind, String namespace, String name) {
    public ObjectRef {
        ObjectKind.require("namespace", namespace, kind.namespaced() ? "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?" : "");
        ObjectKind.require("name", name, "(?!\\.{1,2}$)[A-Za-z0-9._:-]{1,253}");
    }

    /** An object in no namespace. */
    public static ObjectRef of(ObjectKind kind, String name) {
        return new ObjectRef(kind, "", name);
    }

    public static ObjectRef node(String name) {
        return of(ObjectKind.NODE, name);
    }

    /** {@code NAMESPACE/NAME}, or {@code NAME}: the key of a controller. */
    public String key() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /** {@code Node node-1}. */
    @Override
    public String toString() {
        return kind.kind() + " " + key();
    }
}
