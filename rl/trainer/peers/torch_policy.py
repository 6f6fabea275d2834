"""The model of `examples/speed.rs` in PyTorch eager, timed by request in the same way.

`torch_policy.py base|small FOLDER THREADS` reads the weights that `speed` wrote to FOLDER and says what the model
computes (a line of JSON), then answers each line `train N` or `decode N` of its input with a line of what N repetitions
took.
"""

import json
import pathlib
import sys
import time

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

ROWS, TOKENS = 16, 128
SLOTS, PROMPT, WRITTEN = 64, 32, 64
LEARNING_RATE, NORM_MAX = 1e-4, 1.0
LOGITS_STRIDE = 8191
# Of /proc, on Linux.
TICKS_A_SECOND = 100


def tokens(count, vocab_size):
    """Without a pattern, and the same as in speed.rs: Knuth's multiplicative hash of their index."""
    return torch.tensor([(index * 2654435761 % 2**32 >> 16) % vocab_size for index in range(count)])


def cpu_secs():
    """Of all threads, user and system."""
    fields = pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


class RmsNorm(torch.nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, self.eps)


class Attention(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.head_dim = config["head_dim"]
        self.heads, self.shared = config["num_attention_heads"], config["num_key_value_heads"]
        width = config["hidden_size"]
        self.q_proj = torch.nn.Linear(width, self.heads * self.head_dim, bias=False)
        self.k_proj = torch.nn.Linear(width, self.shared * self.head_dim, bias=False)
        self.v_proj = torch.nn.Linear(width, self.shared * self.head_dim, bias=False)
        self.o_proj = torch.nn.Linear(self.heads * self.head_dim, width, bias=False)

    def forward(self, x, angles, cache=None, place=0):
        """With a cache (keys and values, [rows, heads, context, head_dim]) x begins at `place` of every row."""
        rows, count, _ = x.shape
        q, k, v = (
            layer(x).view(rows, count, -1, self.head_dim).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = turn(q, *angles), turn(k, *angles)
        if cache is not None:
            keys, values = cache
            keys[:, :, place : place + count] = k
            values[:, :, place : place + count] = v
            k, v = keys[:, :, : place + count], values[:, :, : place + count]
        # A token that comes alone sees all that there is: no mask is needed.
        is_causal = count > 1
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=is_causal, enable_gqa=self.heads != self.shared)
        return self.o_proj(seen.transpose(1, 2).flatten(2))


def turn(x, cosine, sine):
    """Rotary positions: dimension i with i + head_dim / 2."""
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-second, first), dim=-1) * sine


class Mlp(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        width, inner = config["hidden_size"], config["intermediate_size"]
        self.gate_proj = torch.nn.Linear(width, inner, bias=False)
        self.up_proj = torch.nn.Linear(width, inner, bias=False)
        self.down_proj = torch.nn.Linear(inner, width, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.input_layernorm = RmsNorm(config["hidden_size"], config["rms_norm_eps"])
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RmsNorm(config["hidden_size"], config["rms_norm_eps"])
        self.mlp = Mlp(config)

    def forward(self, x, angles, cache=None, place=0):
        x = x + self.self_attn(self.input_layernorm(x), angles, cache, place)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = torch.nn.Embedding(config["vocab_size"], config["hidden_size"])
        self.layers = torch.nn.ModuleList(Block(config) for _ in range(config["num_hidden_layers"]))
        self.norm = RmsNorm(config["hidden_size"], config["rms_norm_eps"])
        exponents = torch.arange(0, config["head_dim"], 2, dtype=torch.float64) / config["head_dim"]
        angles = torch.outer(torch.arange(TOKENS).float(), (1 / config["rope_theta"] ** exponents).float())
        # Of every position, once.
        self.register_buffer("angles", torch.cat((angles, angles), dim=-1), persistent=False)
        self.register_buffer("cosine", self.angles.cos(), persistent=False)
        self.register_buffer("sine", self.angles.sin(), persistent=False)

    def forward(self, ids, caches=None, place=0):
        x = self.embed_tokens(ids)
        span = slice(place, place + ids.shape[1])
        angles = self.cosine[span], self.sine[span]
        for index, layer in enumerate(self.layers):
            x = layer(x, angles, caches and caches[index], place)
        return self.norm(x)


class Policy(torch.nn.Module):
    """Parameters under HuggingFace's names."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        self.lm_head = torch.nn.Linear(config["hidden_size"], config["vocab_size"], bias=False)
        if config["tie_word_embeddings"]:
            self.lm_head.weight = self.model.embed_tokens.weight


class Work:
    """Both workloads on one model."""

    def __init__(self, policy):
        config = policy.config
        self.policy = policy
        batch = tokens(ROWS * (TOKENS + 1), config["vocab_size"]).view(ROWS, TOKENS + 1)
        self.inputs, self.targets = batch[:, :-1].contiguous(), batch[:, 1:].reshape(-1)
        self.prompts = tokens(SLOTS * PROMPT, config["vocab_size"]).view(SLOTS, PROMPT)
        shape = SLOTS, config["num_key_value_heads"], PROMPT + WRITTEN, config["head_dim"]
        self.caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in policy.model.layers]
        # Norms do not decay, as in optimizer.rs.
        parameters = list(policy.parameters())
        groups = [
            {"params": [parameter for parameter in parameters if parameter.dim() > 1], "weight_decay": 0.01},
            {"params": [parameter for parameter in parameters if parameter.dim() == 1], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=LEARNING_RATE)

    def train(self):
        """One step: loss and norm of the gradient before it."""
        logits = self.policy.lm_head(self.policy.model(self.inputs))
        loss = F.cross_entropy(logits.flatten(0, 1), self.targets)
        self.optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), NORM_MAX)
        self.optimizer.step()
        return loss.item(), norm.item()

    @torch.inference_mode()
    def decode(self):
        """The likeliest tokens after the prompts, [SLOTS, WRITTEN]."""
        ids, place, written = self.prompts, 0, []
        for _ in range(WRITTEN):
            hidden = self.policy.model(ids, self.caches, place)
            place += ids.shape[1]
            ids = self.policy.lm_head(hidden[:, -1]).argmax(-1, keepdim=True)
            written.append(ids)
        return torch.cat(written, dim=1)

    def check(self):
        """What the other side must say too."""
        with torch.inference_mode():
            logits = self.policy.lm_head(self.policy.model(self.inputs)).flatten().double()
        ids = self.decode().flatten().tolist()
        steps = [self.train() for _ in range(2)]
        return {
            "logits": logits[::LOGITS_STRIDE].tolist(),
            "logits_rms": logits.square().mean().sqrt().item(),
            "ids": ids,
            "losses": [loss for loss, _ in steps],
            "grad_norms": [norm for _, norm in steps],
        }


def main():
    size, folder, threads = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)
    policy = Policy(json.loads((folder / "config.json").read_text()))
    weights = load_file(folder / "model.safetensors")
    if policy.config["tie_word_embeddings"]:
        weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    policy.load_state_dict(weights)
    work = Work(policy)
    print(json.dumps({"size": size, "threads": torch.get_num_threads(), **work.check()}), flush=True)
    for line in sys.stdin:
        workload, repetitions = line.split()
        repeated, count = {"train": (work.train, ROWS * TOKENS), "decode": (work.decode, SLOTS * WRITTEN)}[workload]
        cpu, wall = cpu_secs(), time.perf_counter()
        for _ in range(int(repetitions)):
            repeated()
        answer = {
            "size": size,
            "workload": workload,
            "repetitions": int(repetitions),
            "tokens": count * int(repetitions),
            "cpu_secs": cpu_secs() - cpu,
            "wall_secs": time.perf_counter() - wall,
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
