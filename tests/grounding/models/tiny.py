"""A classifier small enough to read: a claim is carried when each of its words stands in the premise.

Its layers are ONNX as any exported model's, its tokenizer is a real one, its labels are written as `save_pretrained`
writes them.
"""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.numpy_helper import from_array
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS = """the excess is was 75 80 for a repair of windscreen glass replacement costs 115 pounds you pay must we never
moon cheese made of tower high 90 metres and it to all racing covered not predict : passage 1 summarize following text
output . , - paid anything ever""".split()
PAIR = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
ROBERTA = ["<pad>", "<unk>", "<s>", "</s>"]
NEVER = WORDS.index("never") + 4


def tokenizer(path, *, pair=True):
    """A WordLevel tokenizer: BERT's marks and segments for a pair, RoBERTa's for one text."""
    marks = PAIR if pair else ROBERTA
    vocabulary = {word: place for place, word in enumerate([*marks, *dict.fromkeys(WORDS)])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token=marks[1]))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation()])
    made.add_special_tokens(marks)
    opening, closing = marks[2], marks[3]
    made.post_processor = processors.TemplateProcessing(
        single=f"{opening} $A {closing}",
        pair=f"{opening} $A {closing} $B:1 {closing}:1",
        special_tokens=[(opening, 2), (closing, 3)],
    )
    made.save(str(path))
    return vocabulary


def network(path, *, vocabulary, output="two", pair=True):
    """``output``: two labels, three (NLI), one logit, a row a token, or nothing but NaN."""
    one = helper.make_node
    nodes = [
        one("Unsqueeze", ["input_ids", "axis2"], ["rows"]),
        one("Unsqueeze", ["input_ids", "axis1"], ["columns"]),
        one("Equal", ["rows", "columns"], ["alike"]),
    ]
    if pair:
        nodes.append(one("Identity", ["token_type_ids"], ["segments"]))
    else:  # what stands after the first closing mark is the claim
        nodes += [
            one("Equal", ["input_ids", "closing"], ["closes"]),
            one("Cast", ["closes"], ["closed"], to=TensorProto.INT64),
            one("CumSum", ["closed", "axis1_scalar"], ["segments"], exclusive=1),
        ]
    nodes += [
        one("Equal", ["segments", "zero"], ["premise"]),
        one("Unsqueeze", ["premise", "axis1"], ["premise_columns"]),
        one("And", ["alike", "premise_columns"], ["matches"]),
        one("Cast", ["matches"], ["matched"], to=TensorProto.FLOAT),
        one("ReduceMax", ["matched", "axis2"], ["covered"], keepdims=0),  # (1, n)
        one("ReduceMin", ["covered", "axis1"], ["carried"], keepdims=1),  # (1, 1)
    ]
    what = "covered" if output == "tokens" else "carried"
    nodes += [
        one("Mul", [what, "ten"], ["raised"]),
        one("Sub", ["raised", "five"], ["for"]),
        one("Neg", ["for"], ["against"]),
    ]
    if output == "one":
        nodes.append(one("Identity", ["for"], ["logits"]))
    elif output == "nan":
        nodes += [one("Mul", ["for", "nan"], ["broken"]), one("Concat", ["broken", "broken"], ["logits"], axis=1)]
    elif output == "three":  # contradiction, neutral, entailment: "never" in a claim the premise lacks contradicts
        nodes += [
            one("Equal", ["input_ids", "never"], ["nevers"]),
            one("Cast", ["nevers"], ["said"], to=TensorProto.FLOAT),
            one("ReduceMax", ["said", "axis1"], ["denies"], keepdims=1),
            one("Mul", ["denies", "twenty"], ["loud"]),
            one("Sub", ["loud", "ten"], ["excluded"]),
            one("Mul", ["for", "zero_float"], ["neutral"]),
            one("Concat", ["excluded", "neutral", "for"], ["logits"], axis=1),
        ]
    elif output == "tokens":
        nodes += [
            one("Unsqueeze", ["for", "axis2"], ["for_column"]),
            one("Unsqueeze", ["against", "axis2"], ["against_column"]),
            one("Concat", ["for_column", "against_column"], ["logits"], axis=2),
        ]
    else:
        nodes.append(one("Concat", ["against", "for"], ["logits"], axis=1))
    numbers = {"ten": 10.0, "five": 5.0, "twenty": 20.0, "zero_float": 0.0, "nan": float("nan")}
    constants = [from_array(np.asarray([value], dtype=np.float32), name) for name, value in numbers.items()]
    constants += [
        from_array(np.asarray([1], dtype=np.int64), "axis1"),
        from_array(np.asarray([2], dtype=np.int64), "axis2"),
        from_array(np.asarray(1, dtype=np.int64), "axis1_scalar"),
        from_array(np.asarray([0], dtype=np.int64), "zero"),
        from_array(np.asarray([3], dtype=np.int64), "closing"),
        from_array(np.asarray([vocabulary["never"]], dtype=np.int64), "never"),
    ]
    shape = [1, "n", 2] if output == "tokens" else [1, {"one": 1, "three": 3}.get(output, 2)]
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if pair else [])]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "n"]) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))


def folder(
    where, *, output="two", labels=("unsupported", "supported"), pair=True, places=128, file="model.onnx", **config
):
    """A model as a folder: network, tokenizer, configuration."""
    where.mkdir(parents=True, exist_ok=True)
    vocabulary = tokenizer(where / "tokenizer.json", pair=pair)
    network(where / file, vocabulary=vocabulary, output=output, pair=pair)
    kind = "TinyForTokenClassification" if output == "tokens" else "TinyForSequenceClassification"
    told = {
        "architectures": [kind],
        "model_type": "tiny",
        "max_position_embeddings": places,
        "id2label": {str(place): label for place, label in enumerate(labels)},
        **config,
    }
    (where / "config.json").write_text(json.dumps(told), encoding="utf-8")
    return where
