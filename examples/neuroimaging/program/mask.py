"""mask.py IN MASKED MASK: keeps of an image what is brighter than its mean, of a TRK file the streamlines that are not points.

MASK, for images, gets one byte a voxel: 1 kept, 0 not. For TRK files it is not written. Exit codes: 0 done, 1 a file is
no such image, 2 usage.
"""

import sys

import nibabel
import numpy


def mask_image(image):
    data = numpy.asanyarray(image.dataobj).astype(numpy.float32)
    mask = data > data.mean()
    header = image.header.copy()
    header.set_data_dtype(numpy.uint8)
    return (
        image.__class__(numpy.where(mask, data, 0).astype(numpy.float32), image.affine, image.header),
        image.__class__(mask.astype(numpy.uint8), image.affine, header),
    )


def mask_streamlines(tracks):
    kept = [i for i, points in enumerate(tracks.streamlines) if len(points) > 1]
    return nibabel.streamlines.TrkFile(tracks.tractogram[kept], header=tracks.header)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    source, masked, mask = arguments
    if source.endswith(".trk"):
        nibabel.streamlines.save(mask_streamlines(nibabel.streamlines.load(source)), masked)
    else:
        images = mask_image(nibabel.load(source))
        nibabel.save(images[0], masked)
        nibabel.save(images[1], mask)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
