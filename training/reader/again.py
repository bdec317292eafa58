"""A shipped network becomes a torch checkpoint again, so that training goes on where its own checkpoints are lost.

    python again.py KEPT                    KEPT/reader/average.pt of the one for English, with mpnet.py's backbone in KEPT
    python again.py KEPT --every-language   the same of the other, with backbone.py's

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

SHIPPED = Path(__file__).parents[2] / "src" / "footnoted" / "models" / "weights"
HEADS = ("hidden", "ways", "answers", "doubts")
MATRICES = ("qkv", "out", "up", "down")  # of a layer, in the order in which the graph multiplies by them


def weights(file: Path, layers: int) -> dict[str, np.ndarray]:
    """A network's tensors by their torch names, dequantised."""
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
                whole = whole.T if ".layers." in stem else whole  # which multiply from the right
                named[stem.removeprefix("reader.")] = whole
            else:
                unnamed.append(whole.T)
        elif name.startswith("reader.") and not name.endswith(("_scale", "_zero_point")):
            named[name.removeprefix("reader.")] = values
    for layer in range(layers):
        for matrix in MATRICES:
            name = f"encoder.layers.{layer}.{matrix}.weight"
            if name not in named:
                named[name] = unnamed.pop(0)
    for head in HEADS:
        if f"{head}.weight" not in named:
            named[f"{head}.weight"] = unnamed.pop(0)
    if unnamed:
        raise SystemExit(f"{file.name}: {len(unnamed)} matrices more than a reader has")
    return named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path, help="with backbone.npz in it")
    parser.add_argument("--every-language", action="store_true", help="that one instead of the one for English")
    options = parser.parse_args()
    file = SHIPPED / ("reader.onnx" if options.every_language else "english/reader.onnx")
    out = options.kept / "reader" / "average.pt"
    torch.set_num_threads(1)
    reader = load(options.kept).eval()
    wanted = {name: tuple(tensor.shape) for name, tensor in reader.state_dict().items()}
    found = {}
    shipped = weights(file, reader.shape["layers"])
    places = "encoder.place.weight"  # of which only those that a sequence may have are shipped
    rest = reader.state_dict()[places].numpy()[len(shipped[places]) :]
    for name, values in (shipped | {places: np.concatenate([shipped[places], rest])}).items():
        turned = wanted.get(name) == values.T.shape != values.shape  # a head's matrix stands the other way round
        found[name] = torch.from_numpy(np.array(values.T if turned else values, copy=True, order="C"))
    missing, strange = reader.load_state_dict(found, strict=False)
    lacks = {one for one in missing if one.partition(".")[0] in {*HEADS, "encoder"}}
    if strange or lacks != {"encoder.word.weight"}:  # it is not shipped with either
        raise SystemExit(f"{file.name}: not this network's weights ({missing}, {strange})")
    words, mask, kinds = torch.randn(1, 40, reader.shape["width"]) * 0.05, torch.ones(1, 40), torch.zeros(1, 40).long()
    kinds[:, 15:] = 1
    session = onnxruntime.InferenceSession(str(file))
    said = session.run(None, {"words": words.numpy(), "mask": mask.numpy(), "kinds": kinds.numpy()})
    with torch.no_grad():
        meant = Reading(reader)(words, mask, kinds)
    apart = max(float(np.abs(a - b.numpy()).max()) for a, b in zip(said, meant, strict=True))
    if apart > 0.2:
        raise SystemExit(f"the file and what was made of it differ by {apart:.2f}")
    out.parent.mkdir(exist_ok=True)
    torch.save({name: w for name, w in reader.state_dict().items() if name != "encoder.word.weight"}, out)
    print(f"{out}: {len(found)} tensors, at most {apart:.3f} from the file's own probabilities")


if __name__ == "__main__":
    main()
