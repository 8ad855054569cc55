package io.enipam.kubernetes.api;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** The key and the certificate that are in their files when a connection is opened. Thread-safe. */
final class ReloadingKeyManager extends X509ExtendedKeyManager {
    private final FileBackedValue<X509ExtendedKeyManager> keys;

    ReloadingKeyManager(FileBackedValue<X509ExtendedKeyManager> keys) {
        this.keys = keys;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
        return keys.current().chooseEngineClientAlias(types, issuers, engine);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
        return keys.current().chooseClientAlias(types, issuers, socket);
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal[] issuers) {
        return keys.current().getClientAliases(type, issuers);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        return keys.current().getCertificateChain(alias);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        return keys.current().getPrivateKey(alias);
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
        return keys.current().chooseServerAlias(type, issuers, socket);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal[] issuers) {
        return keys.current().getServerAliases(type, issuers);
    }
}
