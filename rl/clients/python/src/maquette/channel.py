"""How a channel is set up: address, retries that cannot repeat an effect, keep-alive, message sizes."""

import json

MAX_MESSAGE_BYTES = 64 << 20

# Step is exactly-once by its seq, Open, Fork and Import by their keys, Rollback names the step before which it belongs,
# the rest is idempotent: an unreachable server may be asked again. gRPC makes five attempts at most and waits up to a
# fifth less than said: the last is 5.5 seconds after the first or later.
_RETRY = {
    "methodConfig": [
        {
            "name": [{"service": f"maquette.v1.{name}"} for name in ("Catalog", "Episodes", "Rewards")],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.3s",
                "maxBackoff": "3s",
                "backoffMultiplier": 3,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}

OPTIONS = [
    ("grpc.service_config", json.dumps(_RETRY)),
    # A server that is back is found by the next attempt.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
]


def target(addr: str) -> str:
    """host:port, http://host:port or unix:path, as gRPC writes it."""
    return addr.removeprefix("http://").rstrip("/")
