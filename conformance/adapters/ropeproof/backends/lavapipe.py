"""Compute shaders on lavapipe, Mesa's Vulkan of the processor, by wgpu: WGSL, and GLSL
that glslc compiles.

    rope = lavapipe.shader("rope.wgsl", WG_SIZE=64)
    rope((groups, 1, 1), [x, positions, y, params])
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np

from ropeproof.errors import Error

os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())  # else wgpu warns
import wgpu  # noqa: E402

FEATURES = ("immediates", "shader-f16", "shader-f64", "shader-int64")
STORAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC


@functools.lru_cache(maxsize=None)
def _device():
    """lavapipe, whatever other devices the machine has. ImportError without it."""
    for adapter in wgpu.gpu.enumerate_adapters_sync():
        if (adapter.info["device"].startswith("llvmpipe")
                and adapter.info["backend_type"] == "Vulkan"):
            return adapter.request_device_sync(
                required_features=[f for f in FEATURES if f in adapter.features],
                required_limits={f"max-{name}": adapter.limits[f"max-{name}"] for name in (
                    "immediate-size", "compute-invocations-per-workgroup",
                    "compute-workgroup-size-x", "compute-workgroup-size-y",
                    "storage-buffers-per-shader-stage")})
    raise ImportError("Vulkan has no lavapipe; install mesa-vulkan-drivers")


def is_so():
    return True


def version():
    return re.sub(r"Mesa | \(.*", "", _device().adapter.info["description"])


def prepare():
    declined = {"bf16": "shaders have no such type"}
    if "shader-f16" not in _device().features:
        declined["f16"] = "the driver has no shader-f16"
    return declined


@functools.lru_cache(maxsize=None)
def shader(file, include=(), **macros):
    """A function of a file: GLSL where its name ends in .comp, else WGSL; macros are
    what #ifdef and the like ask, in both. Error, with the compiler's first line, where
    it cannot be compiled."""
    words = [f"-D{name}={value}" for name, value in macros.items()]
    words += [f"-I{folder}" for folder in include]
    if str(file).endswith(".comp"):
        # wgpu reads no OpCopyLogical, which later versions of SPIR-V have.
        code = _said_by("glslc", "--target-env=vulkan1.2", "--target-spv=spv1.3", *words, file,
                        "-o", "-")
    else:
        code = pathlib.Path(file).read_text()
        if re.search(r"^\s*#", code, re.M):
            code = _said_by(os.environ.get("CC", "cc"), "-E", "-P", "-undef", "-x", "c",
                            *words, file).decode()
    return Shader(file, code)


class Shader:
    def __init__(self, file, code):
        self._file = file
        self._pipelines = {}
        with _one_line(file):
            self._module = _device().create_shader_module(code=code)

    def __call__(self, groups, bindings, push=b""):
        """Runs its main() once. bindings, by number: an array is a storage buffer, which
        is read back; bytes are a uniform; None is left out. push: push constants."""
        device, kinds = _device(), tuple(map(type, bindings))
        with _one_line(self._file):
            made = [(number, device.create_buffer_with_data(
                data=_padded(x), usage=STORAGE if isinstance(x, np.ndarray)
                else wgpu.BufferUsage.UNIFORM), x)
                for number, x in enumerate(bindings) if x is not None]
            if (kinds, len(push)) not in self._pipelines:
                self._pipelines[kinds, len(push)] = self._pipeline(made, len(push))
            layout, pipeline = self._pipelines[kinds, len(push)]
            group = device.create_bind_group(layout=layout, entries=[
                dict(binding=number, resource=dict(buffer=buffer, offset=0, size=buffer.size))
                for number, buffer, _ in made])
            encoder = device.create_command_encoder()
            step = encoder.begin_compute_pass()
            step.set_pipeline(pipeline)
            step.set_bind_group(0, group)
            if push:
                step.set_immediates(0, push, 0, len(push))
            step.dispatch_workgroups(*groups)
            step.end()
            device.queue.submit([encoder.finish()])
            for _, buffer, x in made:
                if isinstance(x, np.ndarray) and x.flags.writeable:
                    back = np.frombuffer(device.queue.read_buffer(buffer), np.uint8)
                    x.reshape(-1).view(np.uint8)[:] = back[:x.nbytes]

    def _pipeline(self, made, push):
        device = _device()
        layout = device.create_bind_group_layout(entries=[
            dict(binding=number, visibility=wgpu.ShaderStage.COMPUTE, buffer=dict(
                type="storage" if isinstance(x, np.ndarray) else "uniform"))
            for number, _, x in made])
        return layout, device.create_compute_pipeline(
            layout=device.create_pipeline_layout(
                bind_group_layouts=[layout], **{"immediate_size": push} if push else {}),
            compute=dict(module=self._module, entry_point="main"))


class _one_line:
    """What wgpu raises, as an Error of one line."""
    def __init__(self, file):
        self._file = file

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if isinstance(error, wgpu.GPUError):
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            raise Error(f"{self._file}: {'; '.join(lines)}") from None


def _padded(x):
    """Its bytes, a multiple of four, as buffers have."""
    data = x.tobytes() if isinstance(x, np.ndarray) else bytes(x)
    return data + bytes(-len(data) % 4) or bytes(4)


def _said_by(program, *words):
    if shutil.which(program) is None:
        raise Error(f"backend='lavapipe' needs {program}, which is not installed")
    done = subprocess.run([program, *map(str, words)], capture_output=True)
    if done.returncode != 0:
        raise Error((done.stderr.decode().splitlines() or ["?"])[0])
    return done.stdout
