# SPDX-License-Identifier: Apache-2.0
"""The pictures: the generated ones have their size in pixels and bytes; a user's file is checked before it travels."""

import contextlib
import hashlib
import io
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from nsoc.errors import NsocError
from nsoc.network.image import Size, from_file, generated


@pytest.mark.parametrize(("size", "side", "published"), [(Size.SMALL, 680, 347_500), (Size.LARGE, 4600, 15_900_000)])
def test_generated_pictures_have_the_published_sizes(size: Size, side: int, published: int) -> None:
    picture = generated(size)
    assert (picture.width, picture.height, picture.suffix) == (side, side, ".jpg")
    assert abs(len(picture.data) - published) / published < 0.01
    with Image.open(io.BytesIO(picture.data)) as image:
        assert image.size == (side, side)
        image.load()


def test_the_generated_picture_is_the_same_on_every_machine() -> None:
    digest = hashlib.sha256(generated(Size.SMALL).data).hexdigest()
    assert digest == "4694c70c1f168895c43383422c984b04c9c438b00d9d76b8aba7376e88023a12"


def test_the_generated_picture_shows_sky_sun_and_water() -> None:
    with Image.open(io.BytesIO(generated(Size.SMALL).data)) as image:
        small = image.resize((68, 68), Image.Resampling.BOX)
    sky, sun, water = (small.getpixel(at) for at in ((5, 2), (47, 20), (5, 66)))
    assert sky[2] > sky[0] + 30  # blue
    assert sun[0] > 220 and sun[2] < sun[0] - 40  # bright and warm
    assert water[2] > water[0] + 20


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo.png"
    Image.effect_mandelbrot((64, 48), (-2, -1, 1, 1), 20).save(path)
    return path


def test_a_file_is_sent_as_its_bytes(photo: Path) -> None:
    picture = from_file(photo)
    assert picture.data == photo.read_bytes()
    assert (picture.name, picture.suffix, picture.width, picture.height) == ("photo.png", ".png", 64, 48)


def test_a_missing_file_is_named_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(NsocError, match=r"there is no image file .*none\.jpg; give --image"):
        from_file(tmp_path / "none.jpg")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NsocError, match="cannot read the image file"):
        from_file(tmp_path)


@pytest.mark.parametrize("content", [b"", b"hello, I am a text file\n", bytes(1000)])
def test_a_file_that_is_no_image_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes.jpg").write_bytes(content)
    with pytest.raises(NsocError, match=r"notes\.jpg is not an image"):
        from_file(tmp_path / "notes.jpg")


@pytest.mark.parametrize("suffix", ["png", "jpg", "gif", "bmp", "tiff", "webp"])
def test_a_truncated_image_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"cut.{suffix}"
    Image.frombytes("RGB", (64, 64), bytes(range(256)) * 48).save(path)
    whole = path.read_bytes()
    for size in (*range(0, len(whole), 37), len(whole) - 5):  # a GIF without its last byte is whole to any reader
        path.write_bytes(whole[:size])
        with pytest.raises(NsocError, match=rf"cut\.{suffix} is (damaged|not an image)"):
            from_file(path)


@given(st.integers(0, 2**32), st.sampled_from(["png", "jpg", "gif", "bmp", "tiff", "webp"]))
@settings(max_examples=60, deadline=None)
def test_flipped_bytes_are_never_more_than_an_error(seed: int, suffix: str) -> None:
    rng = random.Random(seed)
    file = io.BytesIO()
    Image.frombytes("RGB", (16, 16), rng.randbytes(768)).save(file, {"jpg": "JPEG"}.get(suffix, suffix))
    data = bytearray(file.getvalue())
    for _ in range(rng.randint(1, 20)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x.{suffix}"
        path.write_bytes(data)
        with contextlib.suppress(NsocError):
            assert from_file(path).data == data


def test_a_damaged_image_is_refused(photo: Path) -> None:
    data = bytearray(photo.read_bytes())
    data[60] ^= 0xFF
    photo.write_bytes(data)
    with pytest.raises(NsocError, match="damaged"):
        from_file(photo)
