/**
 * Makes the container image from the build's results, without a docker engine: {@link io.enipam.deploy.ImageContents}
 * lists the image's files, {@link io.enipam.deploy.ImageBuild} lets Jib put them on a base image, and
 * {@link io.enipam.deploy.ImageMain} is the build step. It runs only at build time and depends only on the locations of
 * the programs' files.
 */
@NullMarked
package io.enipam.deploy;

import org.jspecify.annotations.NullMarked;
