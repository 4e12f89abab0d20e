"""Whose threads compute: PyTorch's for its tensors, our own for everybody else and where PyTorch cannot lend its own.

Our threads are called ``acltwin``, so Linux tells whose they are.
"""

from __future__ import annotations

from support.processes import output_of

NAMES = """
import os

def names():
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            found.append(open(f"/proc/self/task/{task}/comm").read().strip())
        except OSError:  # a thread that has ended since
            pass
    return found
"""

COMPUTE = f"""
{NAMES}
import acltwin, numpy as np, torch

def own():
    return names().count("acltwin")

def is_right(result):
    return bool((np.asarray(result) == 8).all())  # NumPy: PyTorch would start its own threads for it

gradient = torch.from_numpy(np.ones((4, 16, 8, 64, 64), np.float32))  # large enough for every thread
SIZES = (8, 64, 64), (4, 16, 4, 32, 32)

def right(tensor=gradient):
    return is_right(acltwin.upsample_nearest3d_backward(tensor, *SIZES))

acltwin.set_num_threads(8)
"""


def run(code: str, **variables: str) -> list[str]:
    return output_of(COMPUTE + code, variables, timeout=120).split()


def test_tensors_run_on_as_many_of_pytorchs_threads_as_it_has() -> None:
    """Also if their number changes between calls."""
    code = """
before = len(names())
for threads in (1, 2, 4, 7):
    torch.set_num_threads(threads)
    assert right() and right()
    print(len(names()) - before, own())
"""
    assert run(code) == ["0", "0", "1", "0", "3", "0", "6", "0"]


def test_our_own_setting_is_an_upper_bound() -> None:
    code = """
torch.set_num_threads(3)
before = len(names())
acltwin.set_num_threads(1)
assert right()
print(len(names()) - before)
"""
    assert run(code) == ["0"]


def test_every_way_to_pytorch_leads_to_its_threads() -> None:
    code = """
import acltwin.torch
from torch.nn import functional
torch.set_num_threads(3)
assert is_right(torch.ops.acltwin.upsample_nearest3d_backward(gradient, *SIZES))
for interpolate in (acltwin.torch.interpolate, functional.interpolate):
    with acltwin.torch.replaced() as report:
        tensor = torch.zeros(4, 16, 4, 32, 32, requires_grad=True)
        interpolate(tensor, scale_factor=2.0).backward(gradient)
    assert is_right(tensor.grad)
assert report.operators["upsample_nearest3d_backward"].taken == 1, report
print(own())
"""
    assert run(code) == ["0"]


def test_arrays_run_on_our_threads() -> None:
    code = """
torch.set_num_threads(3)
acltwin.set_num_threads(4)
assert right(gradient.numpy())
print(own())
"""
    assert run(code) == ["3"]


def test_a_library_without_such_threads_is_computed_on_ours() -> None:
    """PyTorch before 2.10, or another library with DLPack's function table: here a table with functions of nobody."""
    code = """
import ctypes
api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = ctypes.py_object, ctypes.c_char_p
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
NAME = b"dlpack_exchange_api"
FIELDS, READER = 7, 5  # version, previous, and five functions
pytorchs = api.PyCapsule_GetPointer(torch.Tensor.__dlpack_c_exchange_api__, NAME)
table = (ctypes.c_void_p * FIELDS).from_buffer_copy((ctypes.c_void_p * FIELDS).from_address(pytorchs))
Reader = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
read = Reader(table[READER])
nobodys = Reader(lambda tensor, out: read(tensor, out))
table[READER] = ctypes.cast(nobodys, ctypes.c_void_p).value

class Tensor(torch.Tensor):
    __dlpack_c_exchange_api__ = api.PyCapsule_New(ctypes.addressof(table), NAME, None)

torch.set_num_threads(3)
acltwin.set_num_threads(4)
assert right()
print(own())
assert right(gradient.as_subclass(Tensor))
print(own())
assert right()  # and PyTorch's own threads are still PyTorch's
print(own())
"""
    assert run(code) == ["0", "3", "3"]


def test_a_forked_child_has_its_own() -> None:
    """OpenMP would wait for threads that the child does not have."""
    code = """
torch.set_num_threads(3)
assert right()
child = os.fork()
if child == 0:
    works = right() and own() == 2
    torch.set_num_threads(1)
    os._exit(0 if works and right() else 1)
print(os.waitpid(child, 0)[1])
assert right()
print(own())
"""
    assert run(code) == ["0", "0"]


def test_a_child_that_loads_the_library_after_the_fork() -> None:
    code = (
        NAMES
        + """
import numpy as np, torch
torch.set_num_threads(2)
torch.relu(torch.zeros(1 << 22))  # starts PyTorch's threads; in the child it would wait for them forever
gradient = torch.from_numpy(np.ones((4, 16, 8, 64, 64), np.float32))
child = os.fork()
if child == 0:
    import acltwin
    acltwin.set_num_threads(2)
    result = acltwin.upsample_nearest3d_backward(gradient, (8, 64, 64), (4, 16, 4, 32, 32))
    os._exit(0 if (result.numpy() == 8).all() and "acltwin" in names() else 1)
print(os.waitpid(child, 0)[1])
"""
    )
    assert output_of(code, timeout=120).split() == ["0"]


def test_workers_of_a_data_loader_compute_alone() -> None:
    """PyTorch gives each of them one thread."""
    code = """
from torch.utils.data import DataLoader, Dataset

class Volumes(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, number):
        return right(), own()

torch.set_num_threads(2)
assert right()
for rights, threads in DataLoader(Volumes(), num_workers=2, multiprocessing_context="fork"):
    print(all(rights), sum(threads).item())
"""
    assert run(code) == ["True", "0"] * 4


def test_inside_of_a_parallel_region_of_pytorchs() -> None:
    """There it would have one thread do everything."""
    code = """
import ctypes
from pathlib import Path
torch.set_num_threads(2)
library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
Body = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
found = []
body = Body(lambda begin, end, context: found.append(right()))
library.torch_parallel_for(ctypes.c_int64(0), ctypes.c_int64(2), ctypes.c_int64(1), body, None)
print(found, own() > 0)
"""
    assert run(code) == ["[True,", "True]", "True"]


def test_several_threads_of_python_at_once() -> None:
    code = """
from concurrent.futures import ThreadPoolExecutor
torch.set_num_threads(2)
with ThreadPoolExecutor(4) as pool:
    print(all(pool.map(lambda _: right(), range(40))), own())
"""
    assert run(code) == ["True", "0"]


def test_gradients_in_a_thread_of_python() -> None:
    code = """
import threading
import acltwin.torch
torch.set_num_threads(2)
tensor = torch.zeros(4, 16, 4, 32, 32, requires_grad=True)
thread = threading.Thread(target=lambda: acltwin.torch.interpolate(tensor, scale_factor=2.0).backward(gradient))
thread.start()
thread.join()
print(is_right(tensor.grad), own())
"""
    assert run(code) == ["True", "0"]
