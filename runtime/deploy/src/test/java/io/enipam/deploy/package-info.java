/** The image, the installer and the manifests, as a node gets them. */
package io.enipam.deploy;
