"""Our renderers' frames beside the peers': render_table.py OUT, where OUT/NAME/render.json is the run of our NAME.

A figure is the median over the files that every renderer drew of each file's median frame; a peer ran beside each of
ours and its frames count together. `2.0× (4 of 5)`: the peer takes twice as long; ours is faster on 4 of 5 files.
"""

import json
import sys
from pathlib import Path
from statistics import median

ours, peers, first_picture_s, left_out = [], [], {}, {}
frames_ms = {}  # renderer -> (size, file) -> milliseconds of each frame
for path in sorted(Path(sys.argv[1]).glob("*/render.json")):
    for name, result in json.loads(path.read_text()).items():
        kind, name = (ours, path.parent.name) if name == "ours-worker" else (peers, name)
        if "error" in result:
            left_out[name] = result["error"].strip().splitlines()[-1]
            continue
        if name not in kind:
            kind.append(name)
            print(f"{name}: {json.dumps(result.get('info'))}")
        first_picture_s.setdefault(name, []).append(result["first_picture_s"])
        for cell in result["cells"]:
            key = (cell["size"], cell["item"])
            if "error" in cell:
                left_out[f"{name}, {cell['item']} at {cell['size']}²"] = cell["error"]
            else:
                frames_ms.setdefault(name, {}).setdefault(key, []).extend(cell["ms"])
for name, why in left_out.items():
    print(f"left out: {name}: {why}")
if not frames_ms:
    sys.exit("no renderer drew anything")

typical_ms = {name: {key: median(ms) for key, ms in cells.items()} for name, cells in frames_ms.items()}
shared = sorted(set.intersection(*(set(cells) for cells in typical_ms.values())))
sizes = sorted({size for size, _ in shared})


def of_size(name, size):
    return [typical_ms[name][key] for key in shared if key[0] == size]


def row(*cells):
    print("| " + " | ".join(cells) + " |")


print("files: " + ", ".join(sorted({file for _, file in shared})))
row("renderer", *(f"{size}², ms (pictures/s)" for size in sizes), "first picture, s")
print("|---" * (len(sizes) + 2) + "|")
for name in (name for name in ours + peers if name in typical_ms):
    figures = (median(of_size(name, size)) for size in sizes)
    row(name, *(f"{ms:.2f} ({1e3 / ms:,.0f})" for ms in figures), f"{median(first_picture_s[name]):.2f}")
for peer in (name for name in peers if name in typical_ms):
    for name in (name for name in ours if name in typical_ms):
        cells = []
        for size in sizes:
            theirs_ms, ours_ms = of_size(peer, size), of_size(name, size)
            ahead = sum(a > b for a, b in zip(theirs_ms, ours_ms))
            cells.append(f"{median(theirs_ms) / median(ours_ms):.2f}× ({ahead} of {len(ours_ms)})")
        row(f"{peer} / {name}", *cells, "")
