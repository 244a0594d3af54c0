"""smooth.py IN OUT FWHM: smooths an image (NIfTI, MGH) with a Gaussian of FWHM mm, or the streamlines of a TRK file.

The kind and every header field but the type of the voxels (32-bit floats) stay. Exit codes: 0 done, 1 a file is no such
image, 2 usage.
"""

import sys

import nibabel
import numpy


def gaussian(fwhm_mm, voxel_mm):
    """Weights of a normalised Gaussian, out to three standard deviations, for voxels of that size."""
    sigma = fwhm_mm / numpy.sqrt(8 * numpy.log(2)) / voxel_mm
    reach = max(1, int(numpy.ceil(3 * sigma)))
    weights = numpy.exp(-0.5 * (numpy.arange(-reach, reach + 1) / sigma) ** 2)
    return weights / weights.sum()


def along(data, axis, weights):
    """Convolves along one axis; beyond the edge the edge's value counts."""
    reach = len(weights) // 2
    padding = [(reach, reach) if a == axis else (0, 0) for a in range(data.ndim)]
    padded = numpy.pad(data, padding, mode="edge")
    length = data.shape[axis]
    return sum(
        weight * numpy.take(padded, range(shift, shift + length), axis=axis)
        for shift, weight in enumerate(weights)
    )


def smooth_image(image, fwhm_mm):
    data = numpy.asanyarray(image.dataobj).astype(numpy.float32)
    for axis, voxel_mm in enumerate(image.header.get_zooms()[: min(3, data.ndim)]):
        data = along(data, axis, gaussian(fwhm_mm, float(voxel_mm) or 1.0))
    header = image.header.copy()
    header.set_data_dtype(numpy.float32)
    return image.__class__(data.astype(numpy.float32), image.affine, header)


def smooth_streamlines(tracks):
    """Each inner point becomes the mean of itself and its neighbours; ends stay."""
    tractogram = tracks.tractogram.copy()
    for points in tractogram.streamlines:
        if len(points) > 2:
            points[1:-1] = (points[:-2] + points[1:-1] + points[2:]) / 3
    return nibabel.streamlines.TrkFile(tractogram, header=tracks.header)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    source, target, fwhm_mm = arguments[0], arguments[1], float(arguments[2])
    if source.endswith(".trk"):
        nibabel.streamlines.save(smooth_streamlines(nibabel.streamlines.load(source)), target)
    else:
        nibabel.save(smooth_image(nibabel.load(source), fwhm_mm), target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
