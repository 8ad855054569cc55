package io.enipam.aliyun.credentials;

/** Gives out the keys of the instance's RAM role. Blocks for seconds at most. */
@FunctionalInterface
public interface RamRoleService {
    /**
     * The newest keys.
     *
     * @throws CredentialsException if there is no role, or no answer
     */
    CloudCredentials keys();
}
