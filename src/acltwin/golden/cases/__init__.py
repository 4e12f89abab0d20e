"""What a kernel is tested on: geometries, data and calls, made when they are asked for; and the table of families."""

from acltwin.golden.cases import average, linear, pool, unpool, upsample
from acltwin.golden.cases.family import FAMILIES

FAMILIES |= {
    "upsample": upsample.FAMILY,
    "pool": pool.FAMILY,
    "plain_pool": pool.PLAIN,
    "adaptive_pool": pool.ADAPTIVE,
    "masked_pool": pool.MASKED,
    "unpool": unpool.FAMILY,
    "average": average.FAMILY,
    "linear": linear.FAMILY,
}
