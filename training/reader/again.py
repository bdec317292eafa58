"""The shipped reader becomes a torch checkpoint again, so that training goes on where its own checkpoints are lost.

    python again.py KEPT [READER.onnx]

What int8 took is lost (cosine 0.997 a vector); a few hundred rows of training bring it back. The optimiser starts anew.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from files import Reading
from network import load
from onnx import numpy_helper

SHIPPED = Path(__file__).parents[2] / "src" / "footnoted" / "models" / "weights" / "reader.onnx"
MATRICES = ("qkv", "out", "up", "down")  # of a layer, in the order in which the graph multiplies by them


def weights(file: Path, layers: int) -> dict[str, np.ndarray]:
    """The reader's tensors by their torch names, dequantised."""
    found = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(file)).graph.initializer}
    named: dict[str, np.ndarray] = {}
    unnamed: list[np.ndarray] = []
    for name, values in found.items():
        if name.endswith("_quantized"):
            stem = name.removesuffix("_quantized")
            zero, scale = found[f"{stem}_zero_point"].astype(np.float32), found[f"{stem}_scale"]
            whole = (values.astype(np.float32) - zero) * scale
            if stem.endswith("_Transposed"):
                stem, whole = stem.removesuffix("_Transposed"), whole.T
            if stem.startswith("reader."):
                named[stem.removeprefix("reader.")] = whole
            else:
                unnamed.append(whole.T)
        elif name.startswith("reader.") and not name.endswith(("_scale", "_zero_point")):
            named[name.removeprefix("reader.")] = values
    for layer in range(layers):
        for matrix in MATRICES:
            named[f"encoder.layers.{layer}.{matrix}.weight"] = unnamed.pop(0)
    for head in ("hidden", "ways", "answers", "doubts"):
        if f"{head}.weight" not in named:
            named[f"{head}.weight"] = unnamed.pop(0)
    if unnamed:
        raise SystemExit(f"{file.name}: {len(unnamed)} matrices more than a reader has")
    return named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path, help="with backbone.npz in it, from backbone.py")
    parser.add_argument("reader", type=Path, nargs="?", default=SHIPPED)
    options = parser.parse_args()
    torch.set_num_threads(1)
    reader = load(options.kept).eval()
    wanted = {name: tuple(tensor.shape) for name, tensor in reader.state_dict().items()}
    found = {}
    for name, values in weights(options.reader, reader.shape["layers"]).items():
        turned = wanted.get(name) == values.T.shape != values.shape  # a head's matrix stands the other way round
        found[name] = torch.from_numpy(np.array(values.T if turned else values, copy=True, order="C"))
    missing, strange = reader.load_state_dict(found, strict=False)
    if strange or set(missing) != {"encoder.word.weight", "points.weight", "points.bias"}:  # neither is shipped
        raise SystemExit(f"{options.reader.name}: not this reader's weights ({missing}, {strange})")
    words, mask, kinds = torch.randn(1, 40, reader.shape["width"]) * 0.05, torch.ones(1, 40), torch.zeros(1, 40).long()
    kinds[:, 15:] = 1
    session = onnxruntime.InferenceSession(str(options.reader))
    said = session.run(None, {"words": words.numpy(), "mask": mask.numpy(), "kinds": kinds.numpy()})
    with torch.no_grad():
        meant = Reading(reader)(words, mask, kinds)
    apart = max(float(np.abs(a - b.numpy()).max()) for a, b in zip(said, meant, strict=True))
    if apart > 0.2:
        raise SystemExit(f"the file and what was made of it differ by {apart:.2f}")
    out = options.kept / "reader"
    out.mkdir(exist_ok=True)
    torch.save(found, out / "average.pt")
    print(f"{out / 'average.pt'}: {len(found)} tensors, at most {apart:.3f} from the file's own probabilities")


if __name__ == "__main__":
    main()
