"""Opens ten exports in Blender and compares what stands there with what Maquette says of the same file.

    python tests/blender.py MAQUETTE SUMMARY OUT

MAQUETTE is the program, SUMMARY the example of the same name, OUT a folder for the exports. Needs PyPI's `bpy`.
Compared after conversion of axes and units: names, parents, places, bounds (1e-5 m), materials, lights, cameras.
"""

import json
import math
import subprocess
import sys
from pathlib import Path

import bpy
from mathutils import Matrix, Vector

TOLERANCE_M = 1e-5
# Blender keeps single precision.
RELATIVE = 1e-5
# Lumens per watt, by which Blender's importer goes from candela to watts.
LUMENS_PER_WATT = 683.0
# Blender's +Z is glTF's +Y.
BLENDER_FROM_GLTF = Matrix(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1)))
LEVELS = ["box", "position", "relation", "furniture", "lighting", "hierarchy", "materials", "animation", "repair"]


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def exports(maquette, out):
    """The demo's scene, and the solution of a task of each of these levels."""
    log = Path("assets/tasks/scene/table-and-chairs.calls.jsonl")
    plays = [("scene/table-and-chairs", log)]
    for level in LEVELS:
        task = json.loads(
            run(maquette, "tasks", "generate", "scene", "--level", level, "--seed", "1", "--count", "1", "--json", "--solutions")
        )
        log = out / f"{level}.calls.jsonl"
        log.write_text("".join(json.dumps(call) + "\n" for call in task["solution"]))
        plays.append((task["id"], log))
    for task, log in plays:
        folder = out / log.name.removesuffix(".calls.jsonl")
        run(maquette, "play", log, "--task", task, "--out", folder)
        yield folder / "scene.glb"


def opened(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(path))
    # Before the first key; Blender begins at frame 1.
    bpy.context.scene.frame_set(0)


class Comparison:
    """Counts what was compared and keeps what differs."""

    def __init__(self, file):
        self.file, self.compared, self.faults = file, 0, []

    def equal(self, what, ours, blenders, tolerance=0.0):
        self.compared += 1
        ours, blenders = flat(ours), flat(blenders)
        if len(ours) != len(blenders) or not all(near(a, b, tolerance) for a, b in zip(ours, blenders)):
            self.faults.append(f"{self.file}: {what}: ours {ours}, Blender's {blenders}")


def flat(value):
    if isinstance(value, (list, tuple, Vector)):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def near(a, b, tolerance):
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=tolerance)
    return a == b


def compare(path, ours):
    comparison = Comparison(path)
    objects = dict(bpy.data.objects.items())
    comparison.equal("names", sorted(node["name"] for node in ours["nodes"]), sorted(objects))
    for node in ours["nodes"]:
        thing = objects.get(node["name"])
        if thing is not None:
            compare_node(comparison, node, thing)
    materials = dict(bpy.data.materials.items())
    for material in ours["materials"]:
        found = materials.get(material["name"])
        comparison.equal(f"material {material['name']}", True, found is not None)
        if found is not None:
            compare_material(comparison, material, found)
    return comparison


def compare_node(comparison, node, thing):
    name = node["name"]
    comparison.equal(f"{name}: parent", node["parent"], thing.parent.name if thing.parent else None)
    world = BLENDER_FROM_GLTF @ Matrix(node["world_from_node"])
    if node["light"] is None and node["camera"] is None:
        # Both look along their own −Z, so that only what has neither is turned with the axes.
        world = world @ BLENDER_FROM_GLTF.inverted()
    comparison.equal(f"{name}: place", [list(row) for row in world], [list(row) for row in thing.matrix_world], TOLERANCE_M)
    comparison.equal(f"{name}: has a mesh", node["bounds_m"] is not None, thing.type == "MESH")
    if node["bounds_m"] is not None and thing.type == "MESH":
        corners = [BLENDER_FROM_GLTF.inverted() @ thing.matrix_world @ vertex.co for vertex in thing.data.vertices]
        bounds = [[pick(corner[axis] for corner in corners) for axis in range(3)] for pick in (min, max)]
        comparison.equal(f"{name}: bounds", node["bounds_m"], bounds, TOLERANCE_M)
    if node["light"] is not None:
        compare_light(comparison, name, node["light"], thing.data)
    if node["camera"] is not None:
        compare_camera(comparison, name, node["camera"], thing.data)


def compare_light(comparison, name, light, lamp):
    kinds = {"SUN": "directional", "POINT": "point", "SPOT": "spot"}
    kind = light["kind"]
    comparison.equal(f"{name}: kind of light", kind["kind"], kinds.get(lamp.type))
    comparison.equal(f"{name}: colour", light["color"], list(lamp.color), 1e-6)
    solid_angle_sr = 1.0 if lamp.type == "SUN" else 4.0 * math.pi
    comparison.equal(f"{name}: intensity", light["intensity"], lamp.energy * LUMENS_PER_WATT / solid_angle_sr)
    if lamp.type == "SPOT":
        comparison.equal(f"{name}: outer cone", kind["outer_cone_rad"], lamp.spot_size / 2.0)
        inner_rad = (1.0 - lamp.spot_blend) * lamp.spot_size / 2.0
        comparison.equal(f"{name}: inner cone", kind["inner_cone_rad"], inner_rad, 1e-6)


def compare_camera(comparison, name, projection, camera):
    comparison.equal(f"{name}: projection", projection["kind"], {"PERSP": "perspective", "ORTHO": "orthographic"}.get(camera.type))
    if camera.type == "PERSP":
        comparison.equal(f"{name}: field of view", projection["yfov_rad"], camera.angle_y)
    else:
        comparison.equal(f"{name}: extent", 2.0 * max(projection["xmag_m"], projection["ymag_m"]), camera.ortho_scale)
    comparison.equal(f"{name}: near plane", projection["znear_m"], camera.clip_start)
    if projection["zfar_m"] is not None:
        comparison.equal(f"{name}: far plane", projection["zfar_m"], camera.clip_end)


def compare_material(comparison, ours, found):
    name = ours["name"]
    shader = next(node for node in found.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    value = {socket.name: socket.default_value for socket in shader.inputs if hasattr(socket, "default_value")}
    color = [*list(value["Base Color"])[:3], value["Alpha"]]
    opaque = not shader.inputs["Alpha"].is_linked and value["Alpha"] == 1.0
    expected = [*ours["base_color"][:3], 1.0] if opaque else ours["base_color"]
    comparison.equal(f"material {name}: base colour", expected, color, 1e-6)
    comparison.equal(f"material {name}: metallic", ours["metallic"], value["Metallic"], 1e-6)
    comparison.equal(f"material {name}: roughness", ours["roughness"], value["Roughness"], 1e-6)
    if any(ours["emissive"]):
        emission = [part * value["Emission Strength"] for part in list(value["Emission Color"])[:3]]
        comparison.equal(f"material {name}: emission", [part * ours["emissive_strength"] for part in ours["emissive"]], emission, 1e-6)
    comparison.equal(f"material {name}: double-sided", ours["double_sided"], not found.use_backface_culling)


def main():
    maquette, summary, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    faults = []
    files = list(exports(maquette, out))
    for path in files:
        opened(path)
        comparison = compare(path, json.loads(run(summary, path)))
        print(f"{path}: {comparison.compared} values compared, {len(comparison.faults)} differ")
        faults += comparison.faults
    print("\n".join(faults) or f"Blender {bpy.app.version_string} opens all {len(files)} exports; nothing differs")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
