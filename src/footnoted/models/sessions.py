"""Opens a network's file so that it computes the same on every processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def open_session(network: Path | bytes, *, threads: int = 1, optimised: bool = False) -> Any:
    """An `onnxruntime.InferenceSession` on the CPU. Raises `ImportError` and whatever onnxruntime raises.

    x86 processors without VNNI multiply unsigned by signed bytes with sums that overflow, so an int8 network
    computes other vectors there (cosine 0.984 to the right ones). The precise kernel is asked for: a verdict takes
    a tenth to a quarter longer there, and the same time where there is VNNI. (onnxruntime, "Quantize ONNX models",
    section "When and why do I need to try U8U8?", and ``session.x64quantprecision`` of its session option keys.)
    A graph that was ``optimised`` when it was written is taken as it is, which opens it in a fifth of the time.
    """
    from footnoted.native import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    if optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_cpu_mem_arena = False  # an arena keeps what the longest text needed
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.x64quantprecision", "1")
    model = network if isinstance(network, bytes) else str(network)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
