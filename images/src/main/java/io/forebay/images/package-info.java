/**
 * From a tree of files to a container image, without a Docker daemon. {@link io.forebay.images.PackCommand} is the way in one page:
 * the libraries that the tree's programs need, the layers, the image, and where it goes. What the tree holds is decided by
 * {@code images/build} and {@code dist/build.sh}, not here.
 */
@NullMarked
package io.forebay.images;

import org.jspecify.annotations.NullMarked;
