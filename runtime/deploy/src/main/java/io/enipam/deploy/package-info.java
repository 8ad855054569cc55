/**
 * Makes the container image of what the build has made, without a docker engine: {@link io.enipam.deploy.ImageContents} says which
 * files are in it, {@link io.enipam.deploy.ImageBuild} has Jib put them on a base image, and {@link io.enipam.deploy.ImageMain} is
 * the build's step. It runs at build time only and knows nothing of the programs but where their files are.
 */
@NullMarked
package io.enipam.deploy;

import org.jspecify.annotations.NullMarked;
