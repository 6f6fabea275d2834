"""Plays a log of tool calls on a server and prints the reward by component, with evidence."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from .client import Client
from .values import Call, Evidence, Reward


def read_calls(path: Path) -> list[Call]:
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return [(line["name"], line["arguments"]) for line in lines]


@contextmanager
def served(binary: Path) -> Iterator[str]:
    """Runs a server of its own on a free port and yields its address."""
    server = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            raise SystemExit(f"the server did not start: {line!r}")
        yield line.removeprefix("listening on ").strip()
    finally:
        server.terminate()
        server.wait(timeout=10)


def _faults(evidence: tuple[Evidence, ...]) -> None:
    for e in evidence:
        print(f"      {e.message} [{e.value:g} {e.unit} against {e.threshold:g}]" + (f" -> {e.fix}" if e.fix else ""))


def show(reward: Reward) -> None:
    if reward.value is None:
        print(f"no reward: {reward.unscorable.code}: {reward.unscorable.message}")
    else:
        print(f"reward {reward.value:.4f}  ({reward.profile})")
    print("  " + "  ".join(f"{name} {value:.4f}" for name, value in reward.factors.items()))
    for gate in reward.gates:
        print(f"  gate {gate.name:<12} {'passed' if gate.passed else 'FAILED'}")
        _faults(gate.evidence)
    for c in reward.components:
        print(f"  {c.name:<12} {c.value:.4f} ± {c.uncertainty:.4f}  weight {c.weight:.3f}")
        _faults(c.evidence)


def play(addr: str, task: str, calls: list[Call], seed: int, out: Path | None) -> Reward:
    with Client(addr) as client, client.open(task, seed=seed) as session:
        reward = None
        for number, call in enumerate(calls, 1):
            step = session.step(call)
            reply = step.results[0].reply
            if step.results[0].ok:
                made = ", ".join(reply.get("changed", []))
                print(f"{number:3}/{len(calls)} {call[0]:<20} ok     {made}")
            else:
                error = reply["error"]
                print(f"{number:3}/{len(calls)} {call[0]:<20} {error['code']}: {error['message']}")
            if step.ended:
                reward = step.reward
                break
        reward = reward or session.score()
        if out:
            out.mkdir(parents=True, exist_ok=True)
            for name, data in session.observe("scene.glb", "preview.png").items():
                (out / name).write_bytes(data)
                print(f"wrote {out / name} ({len(data)} bytes)")
        return reward


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calls", type=Path, help='one call a line: {"name": ..., "arguments": {...}}')
    parser.add_argument("--task", required=True, help="task id, e.g. scene/table")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--addr", default="127.0.0.1:50061", help="server to play on (default: %(default)s)")
    where.add_argument("--serve", type=Path, metavar="BINARY", help="start this maquette binary and play on it")
    parser.add_argument("--seed", type=int, default=0, help="group seed (default: 0)")
    parser.add_argument("--out", type=Path, help="write scene.glb and preview.png into this folder")
    parser.add_argument("--min-reward", type=float, default=0.0, help="exit 1 below this reward (default: 0)")
    args = parser.parse_args()
    calls = read_calls(args.calls)
    if args.serve:
        with served(args.serve) as addr:
            reward = play(addr, args.task, calls, args.seed, args.out)
    else:
        reward = play(args.addr, args.task, calls, args.seed, args.out)
    show(reward)
    return 0 if reward.value is not None and reward.value >= args.min_reward else 1


if __name__ == "__main__":
    sys.exit(main())
