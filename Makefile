# `make demo` and `make test` do all the set-up themselves. Everything that is built or downloaded lands in CACHE, so that
# a second clone does not pay again.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/maquette
export CARGO_TARGET_DIR ?= $(CACHE)/target
export MAQUETTE_DATA ?= $(realpath ../shared/data)
PEERS ?= ../shared/peers
# Keeps Mesa's layer that picks a card from complaining where there is no desktop.
export NODEVICE_SELECT ?= 1
export LIBTORCH ?= $(CACHE)/libtorch/torch
# Threads of libtorch that wait for work do not spin: the server needs the cores.
export OMP_WAIT_POLICY ?= PASSIVE
VENV := $(CACHE)/venv
TORCH := $(CACHE)/torch
BIN := $(CARGO_TARGET_DIR)/debug/maquette
TASK := table-and-chairs
LOG := assets/tasks/scene/$(TASK).calls.jsonl
# Tests on real inputs are marked ignored; they run where the inputs are.
IGNORED := $(if $(MAQUETTE_DATA),--include-ignored)

.PHONY: help setup build demo serve train-demo learn test golden soak soak-sandbox chaos blender bench bench-train bench-overlap bench-sandbox clean
help:
	@echo 'make demo    set up, build, play an episode over gRPC, write scene, pictures and a page into out/demo'
	@echo 'make train-demo  set up, build, train a small policy against a server; about three minutes; its curve in out/train-demo'
	@echo 'make learn   PPO on CartPole: 3 seeds of 500,000 steps, their curves; fails where one ends below 475'
	@echo 'make test    set up, build, run every test'
	@echo 'make serve   keep a server up on 127.0.0.1:50061'
	@echo 'make golden  render the golden scenes and compare; a report in out/golden where one differs'
	@echo 'make soak    2,000 pictures for 64 clients, beside two that go wrong'
	@echo 'make soak-sandbox  100,000 sandboxes and 200 killed servers; fails where they leave anything behind; 20 minutes'
	@echo 'make blender open ten exports in Blender (bpy of PyPI, Python 3.11) and compare names, bounds, materials, lights, cameras'
	@echo 'make chaos   12 clients play while their server is killed 50 times'
	@echo 'make bench   measure, beside the peers in PEERS ($(PEERS)) where that folder exists'
	@echo 'make bench-train    training steps and decoding beside PyTorch eager, which is installed for it (4.9 GB)'
	@echo 'make bench-sandbox  sandboxes beside bubblewrap: start, snapshot, rollback, kill'
	@echo 'make bench-overlap  rollouts one step ahead beside the synchronous loop, by the latency of environments'

setup:
	@.ci/setup $(CACHE)

build: setup
	cargo build --locked --workspace --all-targets

demo: build
	@echo '--- the same scene with a leg in the tabletop and a chair in the air: what the evidence says'
	$(VENV)/bin/maquette-play $(LOG:.calls.jsonl=.flawed.calls.jsonl) --task scene/$(TASK) --serve $(BIN)
	@echo '--- the reference scene'
	$(VENV)/bin/maquette-play $(LOG) --task scene/$(TASK) --serve $(BIN) --out out/demo --min-reward 0.9
	@echo '--- the page for artists: out/demo/preview/index.html'
	$(BIN) preview out/demo/scene.glb --task scene/$(TASK) --out out/demo/preview

serve: build
	$(BIN) serve

train-demo: build
	rm -rf out/train-demo
	PATH="$(CARGO_TARGET_DIR)/debug:$$PATH" maquette-train run rl/trainer/runs/size.toml --folder out/train-demo

learn: build
	$(CARGO_TARGET_DIR)/debug/examples/cartpole

test: build
	@test -n "$(MAQUETTE_DATA)" || echo 'MAQUETTE_DATA is not set: the tests on real inputs are reported as ignored'
	MAQUETTE_PYTHON=$(VENV)/bin/python cargo test --locked --workspace -- $(IGNORED)

golden: build
	$(BIN) golden check assets/goldens --report out/golden

soak: build
	$(CARGO_TARGET_DIR)/debug/examples/soak

chaos: build
	MAQUETTE_KILLS=50 cargo test --locked --workspace --test workspace -- --nocapture journal::

bench: build
	.ci/bench $(CACHE) $(PEERS)

bench-train: build
	@$(TORCH)/bin/python -c 'import numpy, safetensors, torch' 2>/dev/null || { \
		echo 'installing PyTorch'; python3 -m venv --clear $(TORCH) && \
		$(TORCH)/bin/pip install --quiet --disable-pip-version-check torch==2.11.0 safetensors==0.8.0 numpy==2.4.6; }
	$(TORCH)/bin/python -B rl/trainer/peers/compare.py $(CARGO_TARGET_DIR)/debug/examples/speed

bench-overlap: build
	$(CARGO_TARGET_DIR)/debug/examples/overlap

soak-sandbox: build
	$(CARGO_TARGET_DIR)/debug/examples/soak_sandbox $(CARGO_TARGET_DIR)/debug/maquette-sandbox

bench-sandbox: build
	$(CARGO_TARGET_DIR)/debug/examples/measure_sandbox $(CARGO_TARGET_DIR)/debug/maquette-sandbox

blender: build
	test -x $(CACHE)/blender/bin/python || { python3.11 -m venv $(CACHE)/blender && $(CACHE)/blender/bin/pip install --quiet bpy==5.0.1; }
	$(CACHE)/blender/bin/python tests/blender.py $(BIN) $(CARGO_TARGET_DIR)/debug/examples/summary out/blender

clean:
	rm -rf out
