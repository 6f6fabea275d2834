"""Generates the gRPC stubs from the repository's protos while the package is built."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PROTO = Path(__file__).resolve().parents[2] / "protocol" / "proto"


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


setup(cmdclass={"build_py": BuildWithStubs})
