"""Files that harm, lie or never end: a judge must survive each, and must not believe what it says.

Most of them are a right engine with one text replaced or added. None may be run outside of a
process with limits of time and memory. Still the one that forks makes four processes only, and the
one that deletes does so in the folder in which it runs, but in no checkout.
"""

from __future__ import annotations

from .engines import ENGINES
from .mistakes import Edit, edited

CORE = ENGINES["closures"].text
CLASS = "class Value:\n"
MUL = '        out = Value(self.data * other.data, (self, other), "*")\n'
BACKWARD = "    def backward(self):\n"
INIT = "        self.data = data\n"


def within(place: str, lines: str) -> str:
    """Return the engine with lines added after a place in it."""
    return edited(CORE, (Edit(place, place + lines),))


def before(lines: str) -> str:
    """Return the engine after some lines that run at import."""
    return lines + "\n\n" + CORE


def after(lines: str) -> str:
    """Return the engine, and lines that run at import after it."""
    return CORE + "\n\n" + lines


REPORT = (
    '{"schema": "gradwalk-workshop/1", "verdict": "right", "phases": [], "mistakes": [], '
    '"unexplained": [], "missing": [], "ran": {"seconds": 0.1, "restarts": 0, "stopped": null}}'
)

# What never ends, or takes all memory.
ENDLESS = {
    "endless_at_import": before("while True:\n    pass\n"),
    "endless_in_mul": within(MUL, "        while True:\n            pass\n"),
    "endless_in_backward": within(BACKWARD, "        while True:\n            pass\n"),
    "sleeps_in_backward": within(BACKWARD, "        __import__('time').sleep(3600)\n"),
    "waits_for_input": within(MUL, "        input('factor? ')\n"),
    "catches_every_interrupt": within(
        BACKWARD,
        "        while True:\n            try:\n                while True:\n"
        "                    pass\n            except BaseException:\n                pass\n",
    ),
    "ignores_signals": before(
        "import signal\n\nfor s in (signal.SIGINT, signal.SIGTERM):\n"
        "    signal.signal(s, signal.SIG_IGN)\n"
        "if hasattr(signal, 'SIGALRM'):\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "while True:\n    pass\n"
    ),
    "takes_all_memory": within(MUL, "        kept = bytearray(10 * 2**30)\n"),
    "list_of_two_gigabytes": within(
        BACKWARD,
        "        kept = []\n        for _ in range(20_000):\n"
        "            kept.append(kept[:] + [0])\n",
    ),
    "huge_power": within(MUL, "        n = 9 ** 9 ** 9\n"),
    "huge_output": within(
        BACKWARD, "        for _ in range(10**7):\n            print('x' * 1000)\n"
    ),
    "huge_repr": edited(
        CORE, (Edit('return f"Value({self.data}, grad={self.grad})"', "return 'v' * 10**9"),)
    ),
    "thread_left_running": before(
        "import threading\n\n\ndef spin():\n    while True:\n        pass\n\n\n"
        "threading.Thread(target=spin, daemon=False).start()\n"
    ),
    "at_exit_never_ends": before(
        "import atexit\nimport time\n\natexit.register(time.sleep, 3600)\n"
    ),
    "children_outlive": before(
        "import os\nimport time\n\nif hasattr(os, 'fork'):\n    for _ in range(4):\n"
        "        if os.fork() == 0:\n            time.sleep(30)\n            os._exit(0)\n"
    ),
    "child_in_an_own_group": before(
        "import os\nimport time\n\nif hasattr(os, 'fork') and os.fork() == 0:\n    os.setsid()\n"
        "    time.sleep(30)\n    os._exit(0)\n"
    ),
}

# What ends the process, or cuts its connections.
ENDING = {
    "exit_at_import": before("import sys\n\nsys.exit(0)\n"),
    "exit_now_at_import": before("import os\n\nos._exit(0)\n"),
    "exit_now_in_backward": within(BACKWARD, "        __import__('os')._exit(0)\n"),
    "exit_in_mul": within(MUL, "        raise SystemExit(0)\n"),
    "interrupt_in_backward": within(BACKWARD, "        raise KeyboardInterrupt\n"),
    "kills_itself": within(BACKWARD, "        import os\n\n        os.kill(os.getpid(), 9)\n"),
    "aborts": within(BACKWARD, "        __import__('os').abort()\n"),
    "recursion_without_limit": before(
        "import sys\n\nsys.setrecursionlimit(10**9)\n\n\ndef fall(n):\n    return fall(n + 1) + 1\n"
        "\n\nfall(0)\n"
    ),
    "reads_address_zero": within(BACKWARD, "        __import__('ctypes').string_at(0)\n"),
    "closes_streams": before("import sys\n\nsys.stdout.close()\nsys.stderr.close()\n"),
    "closes_descriptors": within(BACKWARD, "        __import__('os').closerange(0, 10)\n"),
    "output_to_nowhere": before("import sys\n\nsys.stdout = sys.stderr = None\n"),
}

# What lies about itself, or changes what a judge uses.
LYING = {
    "prints_a_report": before(f"print({REPORT!r}, flush=True)\n"),
    "prints_a_report_and_exits": before(
        f"import os\nimport sys\n\nprint({REPORT!r}, flush=True)\nos._exit(0)\n"
    ),
    "writes_a_report_everywhere": before(
        f"import os\n\nfor fd in range(1, 10):\n    try:\n"
        f"        os.write(fd, {REPORT!r}.encode() + b'\\n')\n    except OSError:\n        pass\n"
    ),
    "json_says_right": before(
        f"import json\n\njson.dumps = lambda *args, **options: {REPORT!r}\n"
        "json.dump = lambda value, file, **options: file.write(json.dumps(value))\n"
    ),
    "isclose_is_true": edited(
        before(
            "import builtins\nimport math\n\nmath.isclose = lambda *args, **options: True\n"
            "builtins.abs = lambda x: 0.0\n"
        ),
        (Edit("self.grad += other.data * out.grad", "self.grad += self.data * out.grad"),),
    ),
    "builtins_replaced": before(
        "import builtins\n\nbuiltins.isinstance = lambda *args: True\n"
        "builtins.len = lambda x: 0\nbuiltins.zip = lambda *args, **options: iter(())\n"
    ),
    "float_replaced": before("import builtins\n\nbuiltins.float = int\n"),
    "modules_emptied": before(
        "import sys\n\nfor name in [m for m in sys.modules if not m.startswith('_')]:\n"
        "    if name not in ('sys', 'builtins'):\n        del sys.modules[name]\n"
    ),
    "trace_function": before(
        "import sys\n\n\ndef trace(*args):\n    raise RuntimeError('no')\n\n\nsys.settrace(trace)\n"
    ),
    "answers_every_name": edited(
        CORE,
        (
            Edit(CLASS, CLASS + "    def __getattr__(self, name):\n        return self\n\n"),
            Edit("            self.grad += other.data * out.grad\n", ""),
        ),
    ),
    "data_is_a_liar": edited(
        CORE,
        (
            Edit(
                CLASS,
                "class Close(float):\n    __hash__ = float.__hash__\n\n"
                "    def __eq__(self, other):\n        return True\n\n"
                "    def __sub__(self, other):\n        return 0.0\n\n"
                "    __rsub__ = __sub__\n\n\n" + CLASS,
            ),
            Edit(INIT, "        self.data = Close(data)\n"),
            Edit("self.grad += other.data * out.grad", "self.grad += 5.0"),
        ),
    ),
    "grad_is_nan": edited(
        CORE, (Edit("        self.grad = 1.0\n", "        self.grad = float('nan')\n"),)
    ),
    "wrong_class_name": edited(
        CORE,
        (
            Edit(
                CLASS,
                CLASS + "    __class__ = property(lambda self: float)\n\n",
            ),
        ),
    ),
    "equality_raises": within(
        CLASS,
        "    __hash__ = object.__hash__\n\n    def __eq__(self, other):\n"
        "        raise ValueError('no')\n\n",
    ),
    "no_hash": within(CLASS, "    __hash__ = None\n\n"),
    "metaclass_raises": edited(
        CORE,
        (
            Edit(
                CLASS,
                "class Meta(type):\n    def __call__(cls, *args, **options):\n"
                "        raise SystemExit(0)\n\n\nclass Value(metaclass=Meta):\n",
            ),
        ),
    ),
    "repr_raises": edited(
        CORE, (Edit('return f"Value({self.data}, grad={self.grad})"', "raise SystemExit(3)"),)
    ),
    "looks_at_its_caller": within(
        BACKWARD,
        "        import sys\n\n        frame = sys._getframe(1)\n        while frame:\n"
        "            frame.f_globals.clear()\n            frame = frame.f_back\n",
    ),
    "deletes_files": before(
        "import os\n\nfor name in os.listdir('.'):\n"
        "    if os.path.isfile(name) and not os.path.exists('.git'):\n"
        "        os.remove(name)\n"
    ),
    "fills_the_disk": before(
        "with open('large', 'wb') as file:\n    for _ in range(64):\n"
        "        file.write(bytes(2**20))\n"
    ),
    "changes_folder": before("import os\n\nos.chdir('/')\n"),
    "null_bytes": CORE + "\0",
    "other_encoding": "# -*- coding: no-such-encoding -*-\n" + CORE,
    "deeply_nested": after("x = " + "(" * 5000 + "1" + ")" * 5000 + "\n"),
    "surrogates": after("print('\\udcff')\n"),
}

HOSTILE = ENDLESS | ENDING | LYING
