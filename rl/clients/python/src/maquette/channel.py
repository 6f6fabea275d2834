"""How a channel is set up: address, retries that cannot repeat an effect, keep-alive, message sizes."""

import json

MAX_MESSAGE_BYTES = 64 << 20

# Step is exactly-once by its seq, Open, Fork and Import by their keys, Rollback names the step before which it belongs,
# the rest is idempotent: an unreachable server may be asked again.
_RETRY = {
    "methodConfig": [
        {
            "name": [{"service": f"maquette.v1.{name}"} for name in ("Catalog", "Episodes", "Rewards")],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.1s",
                "maxBackoff": "2s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}

OPTIONS = [
    ("grpc.service_config", json.dumps(_RETRY)),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
]


def target(addr: str) -> str:
    """host:port, http://host:port or unix:path, as gRPC writes it."""
    return addr.removeprefix("http://").rstrip("/")
