"""check.py IMAGES RESULTS: reads every result back and compares it with its image. Exit codes: 0 all as expected, 1 not."""

import pathlib
import sys

import nibabel
import numpy


def check(image_file, results):
    name = image_file.name
    if name.endswith(".trk"):
        before = nibabel.streamlines.load(image_file).streamlines
        smooth = nibabel.streamlines.load(results / "smooth" / f"smooth-{name}").streamlines
        masked = nibabel.streamlines.load(results / "masked" / f"masked-{name}").streamlines
        assert len(smooth) == len(before), f"{len(smooth)} streamlines of {len(before)}"
        assert [len(s) for s in smooth] == [len(s) for s in before], "points were lost"
        assert len(masked) == sum(len(s) > 1 for s in smooth), "the wrong streamlines were kept"
        return f"{len(before)} streamlines, {len(masked)} kept"
    before = nibabel.load(image_file)
    smooth = nibabel.load(results / "smooth" / f"smooth-{name}")
    masked = nibabel.load(results / "masked" / f"masked-{name}")
    mask = numpy.asanyarray(nibabel.load(results / "masked" / f"mask-{name}").dataobj)
    for after in (smooth, masked):
        assert type(after) is type(before), f"{type(after)} of {type(before)}"
        assert after.shape == before.shape, f"{after.shape} of {before.shape}"
        assert numpy.allclose(after.affine, before.affine), "the affine changed"
    whole = numpy.asanyarray(before.dataobj).astype(numpy.float64)
    soft = numpy.asanyarray(smooth.dataobj).astype(numpy.float64)
    assert soft.std() <= whole.std() + 1e-6, "smoothing made the image rougher"
    assert set(numpy.unique(mask)) <= {0, 1}, "the mask has other values than 0 and 1"
    assert numpy.array_equal(mask == 1, soft > numpy.float32(soft.astype(numpy.float32).mean())), "the wrong voxels were kept"
    assert numpy.allclose(numpy.asanyarray(masked.dataobj), numpy.where(mask == 1, soft, 0)), "kept voxels changed"
    return f"{'x'.join(map(str, before.shape))} voxels, {int(mask.sum())} kept"


def main(images, results):
    files = sorted(pathlib.Path(images).iterdir())
    assert files, f"no images in {images}"
    wrong = 0
    for file in files:
        try:
            print(f"{file.name}: {check(file, pathlib.Path(results))}")
        except (AssertionError, OSError) as e:
            print(f"{file.name}: {e}")
            wrong += 1
    print(f"{len(files) - wrong} of {len(files)} as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
