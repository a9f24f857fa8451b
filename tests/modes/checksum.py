# SPDX-License-Identifier: BSD-3-Clause
"""A program that calls BLAS with known contents, and the sums over its operands as FORMAT.md defines them.

calls LIBRARY STEPS...: makes the calls, prints after each what a hash of its outputs is; contents are functions of the place.
sums TRACE: the sums in the trace, a line for each call, operands separated by blanks: before/after, * where a part counts.
expected LIBRARY STEPS...: the same from the contents.
"""
import array
import ctypes
import glob
import hashlib
import mmap
import os
import struct
import sys
import threading

PAGE, MASK = 4096, (1 << 64) - 1
GAP = float(os.environ.get("GAP", "7"))  # what is between the columns
SIZE = {"d": 8, "f": 4, "z": 16}


def mix(a, b):
    a = ((a ^ b) * 0x9E3779B97F4A7C15) & MASK
    return a ^ a >> 29


def summed(words):
    lane = [0, 0, 0, 0]
    for i, word in enumerate(words):
        lane[i % 4] = mix(lane[i % 4], word)
    found = len(words)
    for one in lane:
        found = mix(found, one)
    return found


class Complex(ctypes.Structure):
    """Returned in registers, as gfortran's functions do."""
    _fields_ = [("real", ctypes.c_double), ("imaginary", ctypes.c_double)]


class Operand:
    """Columns of elements: a list of (place of the first element, number of elements), with what FORMAT.md calls height and step."""

    def __init__(self, kind, columns, height, step, values=None):
        self.kind, self.columns, self.height, self.step = kind, columns, height, step
        last = max((at + count for at, count in columns), default=0)
        self.length = max(last, 1)
        self.values = [GAP] * self.length
        for at, count in columns:
            self.values[at:at + count] = map(values or value, range(at, at + count))

    def is_part(self):
        far = len(self.columns) > 32 and self.step * (len(self.columns) - 1) > 131072 // SIZE[self.kind]
        return self.height * len(self.columns) > 8192 or far

    def block(self, i):
        cols = len(self.columns)
        j = i * (cols - 1) // 31
        at, count = self.columns[j]
        last = i % 4 == 3 if cols > 1 else i == 31
        skip = 0 if count <= 64 else count - 64 if last else (i * 40503 % 65536) * (count - 63) >> 16
        begin, out = at + skip, []
        reach = 4096 // SIZE[self.kind]
        at, count = begin, count - skip
        while count:
            for place in range(at, at + count):
                if len(out) == 64 or place + 1 > begin + reach:
                    return out
                out.append(place)
            j += 1
            if j == cols:
                break
            at, count = self.columns[j]
        return out

    def places(self):
        if self.is_part():
            return [p for i in range(32) for p in self.block(i)]
        return [p for at, count in self.columns for p in range(at, at + count)]

    def buffer(self):
        flat = [x for v in self.values for x in (v.real, v.imag)] if self.kind == "z" else self.values
        return ((ctypes.c_float if self.kind == "f" else ctypes.c_double) * len(flat))(*flat)

    def sum_of(self, memory):
        code, width = ("I", 1) if self.kind == "f" else ("Q", SIZE[self.kind] // 8)
        words = array.array(code, bytes(memory))
        return summed([words[width * p + k] for p in self.places() for k in range(width)])


def value(i):
    return 1 + (i * 7919 % 1000) / 997


def vector(n, inc=1, kind="d", values=None):
    inc = abs(inc)
    return Operand(kind, [(0, n)] if inc == 1 else [(i * inc, 1) for i in range(n)], n if inc == 1 else 1, inc, values)


def matrix(m, n, ld, kind="d"):
    return Operand(kind, [(j * ld, m) for j in range(n)], m, ld)


def upper(n, ld):
    return Operand("d", [(j * ld, j + 1) for j in range(n)], n, ld)


def lower_packed(n):
    return Operand("d", [(j * n - j * (j - 1) // 2, n - j) for j in range(n)], n, 0)


def band(m, n, kl, ku, ld):
    columns = []
    for j in range(n):
        first, end = max(0, j - ku), max(max(0, j - ku), min(m, j + kl + 1))
        columns.append((j * ld + ku - j + first, end - first))
    return Operand("d", columns, min(m, kl + ku + 1), ld)


def pointer(v):
    if isinstance(v, str):
        return ctypes.c_char_p(v.encode())
    if isinstance(v, int):
        return ctypes.byref(ctypes.c_int32(v))
    if isinstance(v, float):
        return ctypes.byref(ctypes.c_double(v))
    return v


# name: what makes its routine, arguments (operands by number), operands, letters: r read, w written, x both, and what a function
# returns. Of operands some are large.
def steps():
    table = {
        "dot": lambda: ("ddot", [9, 0, 2, 1, -3], [vector(9, 2), vector(9, -3)], "rr", ctypes.c_double),
        "axpy": lambda: ("daxpy", [5, 0.5, 0, 1, 1, 1], [vector(5), vector(5)], "rx", None),
        "gemv": lambda: ("dgemv", ["N", 5, 3, 1.0, 0, 8, 1, 1, 0.0, 2, 1], [matrix(5, 3, 8), vector(3), vector(5)], "rrw", None),
        "gemv1": lambda: ("dgemv", ["T", 5, 3, 1.0, 0, 8, 1, 1, 0.5, 2, 2], [matrix(5, 3, 8), vector(5), vector(3, 2)], "rrx", None),
        "gemm": lambda: ("dgemm", ["N", "T", 40, 30, 35, 1.0, 0, 48, 1, 32, 0.0, 2, 44], [matrix(40, 35, 48), matrix(30, 35, 32), matrix(40, 30, 44)], "rrw", None),
        "syrk": lambda: ("dsyrk", ["U", "N", 6, 2, 1.0, 0, 7, 0.5, 1, 9], [matrix(6, 2, 7), upper(6, 9)], "rx", None),
        "gbmv": lambda: ("dgbmv", ["N", 7, 6, 1, 2, 1.0, 0, 5, 1, 1, 0.0, 2, 1], [band(7, 6, 1, 2, 5), vector(6), vector(7)], "rrw", None),
        "spmv": lambda: ("dspmv", ["L", 6, 1.0, 0, 1, 1, 0.0, 2, 1], [lower_packed(6), vector(6), vector(6)], "rrw", None),
        "sdot": lambda: ("sdot", [7, 0, 3, 1, 1], [vector(7, 3, "f"), vector(7, 1, "f")], "rr", ctypes.c_float),
        "amax": lambda: ("idamax", [9, 0, 2], [vector(9, 2)], "r", ctypes.c_int32),
        "zdotu": lambda: ("zdotu", [20, 0, 1, 1, 2], [vector(20, 1, "z"), vector(20, 2, "z")], "rr", Complex),
        "zcopy": lambda: ("zcopy", [20, 0, 1, 1, 2], [vector(20, 1, "z"), vector(20, 2, "z")], "rw", None),
        "long": lambda: ("dcopy", [100000, 0, 1, 1, 1], [vector(100000), vector(100000)], "rw", None),
        "far": lambda: ("dcopy", [9000, 0, 700, 1, 3], [vector(9000, 700), vector(9000, 3)], "rw", None),
        "large": lambda: ("dgemv", ["N", 300, 200, 1.0, 0, 333, 1, 1, 0.0, 2, 1], [matrix(300, 200, 333), vector(200), vector(300)], "rrw", None),
        "flat": lambda: ("dgemv", ["N", 5, 4000, 1.0, 0, 7, 1, 1, 0.0, 2, 1], [matrix(5, 4000, 7), vector(4000), vector(5)], "rrw", None),
        "zeros": lambda: ("dgemm", ["N", "N", 2, 2, 2, 0.0, 0, 2, 1, 2, 1.0, 2, 2], [matrix(2, 2, 2), matrix(2, 2, 2), matrix(2, 2, 2)], "rrx", None),
    }
    return table


def arguments(routine, given, memory):
    """Operands are numbers where the routine has an array: the places that hold one, two or three in order."""
    places = {"ddot": [1, 3], "sdot": [1, 3], "idamax": [1], "daxpy": [2, 4], "dcopy": [1, 3], "zcopy": [1, 3], "zdotu": [1, 3], "dgemv": [4, 6, 9],
              "dgemm": [6, 8, 11], "dsyrk": [5, 8], "dgbmv": [6, 8, 11], "dspmv": [3, 4, 7]}[routine]
    return [memory[v] if i in places else pointer(v) for i, v in enumerate(given)]


def returned(got, result):
    return bytes(got if result is Complex else result(got))


def run(blas, name, wants_sums=False):
    routine, given, operands, access, result = steps()[name]()
    memory = [o.buffer() for o in operands]
    before = [o.sum_of(m) for o, m in zip(operands, memory)] if wants_sums else []
    function = getattr(blas, routine + "_")
    function.restype = result
    got = function(*arguments(routine, given, memory))
    outputs = b"".join(bytes(m) for m, a in zip(memory, access) if a != "r") + (returned(got, result) if result else b"")
    if not wants_sums:
        return f"{name} {hashlib.md5(outputs).hexdigest()}"
    texts = []
    for o, m, a, b in zip(operands, memory, access, before):
        text = ("%016x" % b if a in "rx" else "-") + "/" + ("%016x" % o.sum_of(m) if a in "wx" else "-")
        texts.append(text + ("*" if o.is_part() else ""))
    if result:
        raw = returned(got, result)
        texts.append("-/%016x" % summed([int.from_bytes(raw[i : i + 8], "little") for i in range(0, len(raw), 8)]))
    return " ".join(texts)


def area(pages):
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_size_t]
    at = libc.mmap(None, pages * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    return at, lambda page: libc.mprotect(ctypes.c_void_p(at + page * PAGE), ctypes.c_size_t(PAGE), 0)


def special(blas, name):
    if name == "end":  # behind the operand, and between its two columns, memory cannot be read
        at, forbid = area(4)
        forbid(1), forbid(3)
        first = at + PAGE - 16
        blas.dgemv_(*map(pointer, ["N", 2, 2, 1.0]), ctypes.c_void_p(first), pointer(2 * PAGE // 8), vector(2).buffer(), pointer(1), pointer(0.0), vector(2).buffer(), pointer(1))
    elif name == "nowhere":  # a product with 0 does not read its matrices
        blas.dgemm_(*map(pointer, ["N", "N", 2, 2, 2, 0.0]), ctypes.c_void_p(16), pointer(2), ctypes.c_void_p(16), pointer(2), pointer(1.0), matrix(2, 2, 2).buffer(), pointer(2))
    elif name == "threads":
        for n in range(4):
            crew = threading.Thread(target=lambda: [run(blas, s) for s in (["dot", "zcopy", "gemm"] if n == 2 else ["dot", "zcopy"])])
            crew.start()
            crew.join()
    elif name == "fork":
        if os.fork() == 0:
            run(blas, "dot")
            sys.exit(0)
        os.wait()
    else:
        return False
    return True


def events(path):
    for name in sorted(glob.glob(path + "/p*/t*")):
        with open(name, "rb") as file:
            data = file.read()
        at, used = 192, struct.unpack_from("<Q", data, 144)[0]
        while at < used:
            head = struct.unpack_from("<Q", data, at)[0]
            words = 1 if head & 0xFF in (6, 7) else head >> 8 & 0xFF
            if head & 0xFF == 12:
                yield struct.unpack_from(f"<{words}Q", data, at)
            at += 8 * words


def sums(path):
    for event in events(path):
        at, texts = 2, []
        for _ in range(event[0] >> 16 & 0xFFFF):
            flags = event[at] >> 16
            at += 1
            text = []
            for bit, unread in ((1, 8), (2, 16)):
                text.append("%016x" % event[at] if flags & bit else "?" if flags & unread else "-")
                at += bool(flags & bit)
            texts.append("/".join(text) + ("*" if flags & 4 else ""))
        assert at == len(event)
        print(" ".join(texts))


if sys.argv[1] == "sums":
    sums(sys.argv[2])
else:
    library = ctypes.CDLL(sys.argv[2])
    for which in sys.argv[3:]:
        if not special(library, which):
            print(run(library, which, sys.argv[1] == "expected"))
