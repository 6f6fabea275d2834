"""Plays a log of tool calls on a server and prints the reward by component, with evidence."""

from __future__ import annotations

import argparse
import json
import select
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Iterator

from .client import Client, Session
from .errors import MaquetteError
from .values import Call, Evidence, Reward

START_DEADLINE_SECS = 30
STOP_DEADLINE_SECS = 10


def read_calls(path: Path) -> list[Call]:
    """One call a line; `ValueError` names the line that holds none."""
    calls: list[Call] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            call = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from error
        match call:
            case {"name": str(name), "arguments": dict() | str() as arguments}:
                calls.append((name, arguments))
            case _:
                raise ValueError(f'{path}:{number}: not a call {{"name": ..., "arguments": {{...}}}}')
    return calls


@contextmanager
def served(binary: Path) -> Iterator[str]:
    """Runs a server of its own on a free port and yields its address; `OSError` where it does not start.

    The server ends with this process, however that ends."""
    command = [str(binary), "serve", "--listen", "127.0.0.1:0", "--until-stdin-closes"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None and server.stdout is not None
    try:
        if not select.select([server.stdout], [], [], START_DEADLINE_SECS)[0]:
            raise TimeoutError(f"{binary} did not start in {START_DEADLINE_SECS} s")
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            raise ConnectionError(f"{binary} did not start: {line!r}")
        yield line.removeprefix("listening on ").strip()
    finally:
        server.stdin.close()
        try:
            server.wait(timeout=STOP_DEADLINE_SECS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        server.stdout.close()


def _faults(evidence: tuple[Evidence, ...]) -> None:
    for e in evidence:
        print(f"      {e.message} [{e.value:g} {e.unit} against {e.threshold:g}]" + (f" -> {e.fix}" if e.fix else ""))


def show(reward: Reward) -> None:
    """Prints a reward with its gates, components and evidence."""
    if reward.unscorable is not None:
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


def _rewarded(session: Session, calls: list[Call]) -> Reward:
    for number, call in enumerate(calls, 1):
        step = session.step(call)
        result = step.results[0]
        if result.ok:
            said = f"ok     {', '.join(result.reply.get('changed', []))}"
        else:
            said = f"{result.reply['error']['code']}: {result.reply['error']['message']}"
        print(f"{number:3}/{len(calls)} {call[0]:<20} {said}")
        for new in result.reply.get("consequences", {}).get("new_overlaps", []):
            depth_mm = 1000 * new["thickness_m"]
            print(f"      {new['a_name']} overlaps {new['b_name']} by {depth_mm:g} mm -> {new['fix']}")
        if step.ended:
            return step.reward or session.score()
    return session.score()


def _write(session: Session, out: Path) -> None:
    """What cannot be made, such as a picture without a camera or a renderer, is only warned of."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("scene.glb", "beauty.png", "preview.png"):
        try:
            data = session.observe(name)[name]
        except MaquetteError as error:
            print(f"warning: no {name}: {error}", file=sys.stderr)
            continue
        (out / name).write_bytes(data)
        print(f"wrote {out / name} ({len(data)} bytes)")


def play(addr: str, task: str, calls: list[Call], seed: int, out: Path | None) -> Reward:
    """Plays the calls, prints the reward, then writes scene.glb, beauty.png and preview.png into `out`."""
    with Client(addr) as client, client.open(task, seed=seed) as session:
        reward = _rewarded(session, calls)
        show(reward)
        if out:
            _write(session, out)
        return reward


def main() -> int:
    """0: played; 1: no reward, or one below the minimum; 2: could not be played."""
    parser = argparse.ArgumentParser(prog="maquette-play", description=__doc__)
    parser.add_argument("calls", type=Path, help='one call a line: {"name": ..., "arguments": {...}}')
    parser.add_argument("--task", required=True, help="task id, e.g. scene/table")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--addr", default="127.0.0.1:50061", help="server to play on (default: %(default)s)")
    where.add_argument("--serve", type=Path, metavar="BINARY", help="start this maquette binary and play on it")
    parser.add_argument("--seed", type=int, default=0, help="group seed (default: 0)")
    parser.add_argument("--out", type=Path, help="write scene.glb, beauty.png and preview.png into this folder")
    parser.add_argument("--min-reward", type=float, default=0.0, help="exit 1 below this reward (default: 0)")
    args = parser.parse_args()
    try:
        calls = read_calls(args.calls)
        with served(args.serve) if args.serve else nullcontext(args.addr) as addr:
            reward = play(addr, args.task, calls, args.seed, args.out)
    except (MaquetteError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0 if reward.value is not None and reward.value >= args.min_reward else 1


if __name__ == "__main__":
    sys.exit(main())
