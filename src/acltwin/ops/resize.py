"""aclnnResize, which takes factors for all axes and the name of a mode, and no function on arrays has its rules."""

from dataclasses import replace

from acltwin.ops.families import rules
from acltwin.ops.families.family import Family
from acltwin.ops.spec import DOCUMENTED, SOCS, Argument, Rule

IMAGES = Family("HW", formats=("NCHW", "NHWC"), lacking=tuple((soc, "bfloat16") for soc in SOCS if soc != "Ascend950"))
SOURCE = IMAGES.values("self", "The tensor to resize.", IMAGES.tensor(2, 2), ())
OUT = replace(SOURCE, name="out", doc="The resized tensor: the result.", role="output", example=IMAGES.tensor(4, 4))
FACTORS = "Factors along N, C, H, W, out size / self size; those of N and C are not read."
LAST, OTHER_BATCH = rules.channels_last("NHWC", SOURCE, OUT), rules.reshaped(lambda shape: (2, *shape[1:]), OUT)
SIZES = "H and W of out must be those of self times their scales, rounded down, give or take 1e-5 of a scale."
PLANE, LINE = IMAGES.plane_of(2, 2, values=(1, 2, 3, 4)), IMAGES.plane_of(1, 2, values=(1, 3))
DOUBLED = {"scales": (1.0, 1.0, 1.0, 2.0), "mode": b"bilinear", "out": IMAGES.plane_of(1, 4)}

SPEC = IMAGES.declare(
    "aclnnResize",
    (
        SOURCE,
        Argument("scales", "float_array", FACTORS, (1.0, 1.0, 2.0, 2.0)),
        Argument("mode", "string", 'A text that begins with "nearest" or "bilinear".', b"nearest"),
        OUT,
    ),
    (
        Rule("mode_name", "mode must begin with nearest or bilinear.", {"mode": b"cubic"}),
        rules.dtype(SOURCE),
        *(replace(rule, judges=DOCUMENTED) for rule in rules.soc_dtype(SOURCE, OUT)),
        rules.same_dtype(OUT, SOURCE),
        rules.known_format(SOURCE, "ND"),
        rules.same_format((OUT,), SOURCE, rules.changed(OUT, format="NHWC")),
        Rule("channels_last_soc", "NHWC tensors need Ascend950.", LAST, DOCUMENTED, shared="pool"),
        *rules.ranks(SOURCE, OUT),
        Rule("scales_length", "scales must have 4 values (N, C, H, W).", {"scales": (2.0, 2.0)}),
        replace(rules.same_batch(OUT, SOURCE), violation=OTHER_BATCH),
        Rule("out_size", SIZES, rules.reshaped(rules.wider, OUT)),
    ),
    (
        IMAGES.sample(
            "nearest: every cell becomes four",
            {"self": PLANE, "out": IMAGES.plane_of(4, 4)},
            (1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4),
        ),
        IMAGES.sample("bilinear: cells are matched at their centres", {"self": LINE, **DOUBLED}, (1, 1.5, 2.5, 3)),
    ),
    summary="2-D nearest or bilinear upsampling, whichever `mode` names. The scales only say which size is expected.",
    formula="out = aclnnUpsampleNearest2d, or aclnnUpsampleBilinear2d without alignCorners and scales, of self",
    family="linear",
    data_formats=IMAGES.orders,
).second_interface("")
