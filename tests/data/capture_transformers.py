#!/usr/bin/env python3
"""Captures graphs of real transformers models, with tiny random configurations, as Dynamo hands them to a backend.

    capture_transformers.py [NAME …]      rewrites transformer_layers/NAME.txt and NAME.inputs
    capture_transformers.py --list        names them

Weights are inputs of such a graph, so that the two files are all there is. Needs torch and transformers.
"""

import argparse
import pathlib

import torch
import transformers

FOLDER = pathlib.Path(__file__).resolve().parent / "transformer_layers"
SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 32, "attn_implementation": "eager"}
NARROW = {**SMALL, "intermediate_size": 24, "max_position_embeddings": 32}
GROUPED = {**NARROW, "num_key_value_heads": 1}
DTYPES = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.int64: "i64", torch.bool: "b8"}


def model(name):
    """The model and its arguments."""
    tokens = torch.arange(5).reshape(1, 5)
    if name.startswith("llama"):
        config = transformers.LlamaConfig(**GROUPED)
    elif name == "qwen2":
        config = transformers.Qwen2Config(**GROUPED)
    elif name == "gpt_neox":
        config = transformers.GPTNeoXConfig(**NARROW)
    elif name == "gpt2":
        config = transformers.GPT2Config(n_embd=16, n_layer=1, n_head=2, vocab_size=32, n_positions=32, attn_implementation="eager")
    elif name == "mixtral":
        config = transformers.MixtralConfig(**GROUPED, num_local_experts=2, num_experts_per_tok=1, experts_implementation="eager")
    elif name == "t5":
        config = transformers.T5Config(d_model=16, d_kv=8, d_ff=24, num_layers=1, num_heads=2, vocab_size=32, feed_forward_proj="relu")
    elif name == "opt":
        config = transformers.OPTConfig(
            hidden_size=16, ffn_dim=24, num_hidden_layers=1, num_attention_heads=2, vocab_size=32, max_position_embeddings=32,
            word_embed_proj_dim=16, activation_function="relu", attn_implementation="eager", pad_token_id=1,
        )
    elif name == "phi3":
        config = transformers.Phi3Config(**GROUPED, pad_token_id=0)
    else:
        raise ValueError(name)
    config.use_cache = False
    torch.manual_seed(0)
    whole = transformers.T5EncoderModel(config) if name == "t5" else transformers.AutoModel.from_config(config)
    if name.endswith("bf16"):
        whole = whole.to(torch.bfloat16)
    return whole.eval(), tokens


NAMES = ("llama", "llama_bf16", "qwen2", "gpt_neox", "gpt2", "mixtral", "t5", "opt", "phi3")


def describe(name, value):
    if isinstance(value, torch.Tensor):
        return f"{name}={DTYPES[value.dtype]}[{','.join(map(str, value.shape))}] strides=({','.join(map(str, value.stride()))})"
    return f"{name}={type(value).__name__}"


def capture(name):
    """The texts of the largest graph of one call and of its inputs."""
    whole, tokens = model(name)
    found = []

    def backend(module, inputs):
        found.append((module, inputs))
        return module.forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(whole, backend=backend, dynamic=False)(input_ids=tokens)
    module, inputs = max(found, key=lambda pair: len(pair[0].graph.nodes))
    names = [node.name for node in module.graph.nodes if node.op == "placeholder"]
    return f"{module.graph}\n", "".join(describe(n, v) + "\n" for n, v in zip(names, inputs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the graphs, capture nothing")
    parser.add_argument("names", nargs="*", help="only these")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(NAMES))
        return
    FOLDER.mkdir(exist_ok=True)
    for name in arguments.names or NAMES:
        graph, inputs = capture(name)
        (FOLDER / f"{name}.txt").write_text(graph)
        (FOLDER / f"{name}.inputs").write_text(inputs)
        print(f"{name}: {graph.count(chr(10))} lines")


if __name__ == "__main__":
    main()
