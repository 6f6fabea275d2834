"""Generates the gRPC stubs while the package is built; a source distribution carries the protos."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
# In a source distribution beside this file, in the repository where the server has them.
PROTO = HERE / "proto" if (HERE / "proto").is_dir() else HERE.parents[1] / "protocol" / "proto"


class BuildWithStubs(build_py):
    def run(self):
        super().run()
        from grpc_tools import protoc

        files = [str(path.relative_to(PROTO)) for path in sorted(PROTO.glob("maquette/v1/*.proto"))]
        if not files:
            raise SystemExit(f"no protos under {PROTO}: install the client from inside the repository")
        include = Path(protoc.__file__).parent / "_proto"
        out = self.build_lib
        args = ["protoc", f"-I{PROTO}", f"-I{include}", f"--python_out={out}", f"--pyi_out={out}", f"--grpc_python_out={out}"]
        if protoc.main(args + files) != 0:
            raise SystemExit("the protos do not compile")


class SdistWithProtos(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        shutil.copytree(PROTO, Path(base_dir) / "proto", dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithStubs, "sdist": SdistWithProtos})
