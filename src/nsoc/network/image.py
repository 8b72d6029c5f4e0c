# SPDX-License-Identifier: Apache-2.0
"""The pictures that cross the SoC: two generated ones of the published sizes, or a file of the user's.

The generated picture is a mountain lake at dusk with the SoC's block diagram drawn over the water. It must be the same
to the last byte on any machine with the pinned Pillow, so everything is integer arithmetic: no anti-aliasing, no
sloped polygon edges, no float blending, a bitmap font, JPEG with the integer DCT. Film grain brings the files to
their sizes at a quality where the picture still looks like one.
"""

import io
import random
import warnings
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from nsoc.errors import NsocError

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

Colour = tuple[int, int, int]

SKY_TOP, SKY_LOW = (22, 30, 74), (250, 176, 112)
WATER_TOP, WATER_LOW = (226, 158, 120), (18, 32, 66)
RIDGES: tuple[tuple[int, int, Colour], ...] = (
    # mean height and roughness in 1/1000 of the picture, colour: from the far ridge to the near one
    (430, 190, (126, 96, 128)),
    (500, 140, (84, 72, 112)),
    (560, 90, (42, 50, 82)),
)
HORIZON = 620
"""Where the water begins, in 1/1000 from the top."""
BLOCKS = ("GMII", "MAC", "NIC", "MEM", "CPU")


class Size(StrEnum):
    """The two sizes of the published tables."""

    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True)
class Picture:
    """What is sent: the bytes of an image file."""

    name: str
    suffix: str
    """With its dot, as in `.jpg`."""
    data: bytes
    width: int
    height: int


# Side in pixels and levels of grain: about 347.5 kB and 15.9 MB, as in the published tables.
_SIDE = {Size.SMALL: 680, Size.LARGE: 4600}
_GRAIN = {Size.SMALL: 22, Size.LARGE: 25}
_QUALITY = 94
_SEED = 0x88B5


def generated(size: Size) -> Picture:
    """The default picture of that size."""
    side = _SIDE[size]
    picture = _grain(_landscape(side), _GRAIN[size])
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=_QUALITY, subsampling=0)
    return Picture(f"generated {size} picture", ".jpg", file.getvalue(), side, side)


def _landscape(side: int) -> "Image.Image":
    from PIL import ImageDraw

    horizon = side * HORIZON // 1000
    picture = _gradient(side, horizon)
    draw = ImageDraw.Draw(picture)
    _sun(draw, side)
    rng = random.Random(_SEED)
    for mean, rough, colour in RIDGES:
        heights = _ridge(rng, side, side * mean // 1000, side * rough // 1000)
        for x, top in enumerate(heights):
            if top < horizon:
                draw.line((x, top, x, horizon - 1), fill=colour)
                # The reflection: a third of the height, darker.
                reflection = tuple(c * 3 // 4 for c in colour)
                draw.line((x, horizon, x, horizon + (horizon - top) // 3), fill=reflection)
    _glitter(draw, rng, side, horizon)
    _diagram(draw, picture, side)
    return picture


def _mix(a: Colour, b: Colour, part: int, whole: int) -> Colour:
    red, green, blue = (p + (q - p) * part // whole for p, q in zip(a, b, strict=True))
    return red, green, blue


def _gradient(side: int, horizon: int) -> "Image.Image":
    """Sky above the horizon, water below: one column, stretched."""
    from PIL import Image

    column = [_mix(SKY_TOP, SKY_LOW, y, horizon) for y in range(horizon)]
    column += [_mix(WATER_TOP, WATER_LOW, y, side - horizon) for y in range(side - horizon)]
    strip = Image.frombytes("RGB", (1, side), bytes(c for colour in column for c in colour))
    return strip.resize((side, side), Image.Resampling.NEAREST)


def _sun(draw: "ImageDraw.ImageDraw", side: int) -> None:
    x, y = side * 690 // 1000, side * 330 // 1000
    for radius, colour in ((120, (244, 190, 128)), (95, (250, 206, 140)), (72, (255, 228, 168))):
        r = side * radius // 1000
        draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)


def _ridge(rng: random.Random, side: int, mean: int, rough: int) -> list[int]:
    """The top of a mountain chain for each column, by midpoint displacement."""
    points = [mean + rng.randint(-rough, rough) // 2 for _ in range(5)]
    swing = rough
    while len(points) < side:
        swing = swing * 11 // 20
        between = [(a + b) // 2 + rng.randint(-swing, swing) for a, b in pairwise(points)]
        points = [p for pair in zip(points, between, strict=False) for p in pair] + [points[-1]]
    return [points[x * (len(points) - 1) // (side - 1)] for x in range(side)]


def _glitter(draw: "ImageDraw.ImageDraw", rng: random.Random, side: int, horizon: int) -> None:
    """Streaks of sunlight on the water, wider and rarer towards the viewer."""
    centre = side * 690 // 1000
    for _ in range(260):
        y = horizon + 1 + rng.randrange(side - horizon - 1)
        spread = side * 60 // 1000 + (y - horizon) // 3
        x = centre + rng.randint(-spread, spread)
        length = side * 8 // 1000 + (y - horizon) // 12
        height = max(1, side // 700)
        draw.rectangle((x - length, y, x + length, y + height - 1), fill=(255, 214, 160))


def _diagram(draw: "ImageDraw.ImageDraw", picture: "Image.Image", side: int) -> None:
    """A frame's way through the SoC: boxes in a row with arrows there and back."""
    unit = side // 68
    width, height, gap = 9 * unit, 8 * unit, 4 * unit
    left = (side - len(BLOCKS) * width - (len(BLOCKS) - 1) * gap) // 2
    top = side * 76 // 100
    for index, name in enumerate(BLOCKS):
        x = left + index * (width + gap)
        draw.rectangle((x, top, x + width, top + height), fill=(16, 24, 48), outline=(255, 236, 200), width=unit // 4)
        _label(picture, name, x + width // 2, top + height // 2, unit)
        if index:
            _arrow(draw, x - gap, x, top + height // 3, unit)
            _arrow(draw, x, x - gap, top + height * 2 // 3, unit)
    _label(picture, "N-SoC", side // 2, side * 94 // 100, 2 * unit)


def _arrow(draw: "ImageDraw.ImageDraw", start: int, end: int, y: int, unit: int) -> None:
    step = 1 if end > start else -1
    tip = end - step * unit // 2
    colour = (255, 236, 200)
    draw.rectangle(
        (min(start, tip) + unit // 2, y - unit // 8, max(start, tip) - unit // 2, y + unit // 8), fill=colour
    )
    for back in range(unit + unit // 2):
        draw.line((tip - step * back, y - back // 2, tip - step * back, y + back // 2), fill=colour)


def _label(picture: "Image.Image", text: str, x: int, y: int, unit: int) -> None:
    """Text centred at (x, y), from the bitmap font, blown up without smoothing."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default_imagefont()
    left, top, right, bottom = font.getbbox(text)
    mask = Image.new("1", (int(right - left), int(bottom - top)))
    ImageDraw.Draw(mask).text((0, 0), text, font=font, fill=1)
    scale = max(1, unit * 3 // mask.height)
    mask = mask.resize((mask.width * scale, mask.height * scale), Image.Resampling.NEAREST)
    picture.paste((255, 236, 200), (x - mask.width // 2, y - mask.height // 2), mask)


def _grain(picture: "Image.Image", levels: int) -> "Image.Image":
    """Add film grain of that many levels, around zero, to every channel."""
    from PIL import Image, ImageChops

    rng = random.Random(_SEED + 1)
    steps = [v * levels // 256 - levels // 2 for v in range(256)]
    channels = []
    for channel in picture.split():
        noise = Image.frombytes("L", picture.size, rng.randbytes(picture.width * picture.height))
        brighter = noise.point([max(0, step) for step in steps])
        darker = noise.point([max(0, -step) for step in steps])
        channels.append(ImageChops.subtract(ImageChops.add(channel, brighter), darker))
    return Image.merge("RGB", channels)


def from_file(path: Path) -> Picture:
    """The bytes of an image file, after a check that it is one and is whole."""
    from PIL import Image, UnidentifiedImageError

    hint = "give --image a whole PNG or JPEG file, or leave it out for the generated picture"
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise NsocError(f"there is no image file {path}; {hint}") from error
    except OSError as error:
        raise NsocError(f"cannot read the image file {path} ({error.strerror}); {hint}") from error
    if len(data) > 0xFFFF_FFFF:
        raise NsocError(f"the image file {path} is over 4 GiB, more than one transfer can count; {hint}")
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as image:
            image.verify()  # of a PNG all checksums to the end; it leaves the picture unusable
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as image:
            image.load()
            width, height = image.size
    except Image.DecompressionBombError as error:
        most = 2 * (Image.MAX_IMAGE_PIXELS or 0)
        raise NsocError(
            f"the image file {path} has more than {most:,} pixels, too many to look at; give --image a smaller one"
        ) from error
    except UnidentifiedImageError as error:
        raise NsocError(f"{path} is not an image in a known format; {hint}") from error
    except Exception as error:  # decoders raise whatever they like over damaged bytes
        raise NsocError(f"the image file {path} is damaged or cut short ({error}); {hint}") from error
    return Picture(path.name, path.suffix or ".bin", data, width, height)
