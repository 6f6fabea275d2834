"""The official Python SDK against `maquette mcp`: python tests/mcp_client.py BINARY URL-OF-A-RUNNING-ONE."""

import asyncio
import base64
import json
import os
import sys
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters

LOG = Path("assets/tasks/scene/table.calls.jsonl")
PATIENCE_SECS = 120.0


async def play(client: Client) -> None:
    assert client.server_info.name == "maquette" and "table" in client.instructions
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools["query_overlaps"].annotations.read_only_hint
    assert tools["node_create"].input_schema["type"] == "object"
    prompt = (await client.get_prompt("task")).messages[0].content.text
    assert "Build a table" in prompt

    calls = [json.loads(line) for line in LOG.read_text().splitlines()]
    submit = calls.pop()
    assert submit["name"] == "episode.submit"
    for call in calls:
        name = call["name"].replace(".", "_")
        assert name in tools, name
        result = await client.call_tool(name, call["arguments"])
        assert not result.is_error and result.structured_content["ok"], result

    refused = await client.call_tool("node_create", {"nmae": "table"})
    assert refused.is_error and "name" in refused.structured_content["error"]["nearest"], refused
    still = await client.call_tool("render_still", {"width": 128, "height": 96})
    pictures = [block for block in still.content if block.type == "image"]
    assert [picture.mime_type for picture in pictures] == ["image/png"], still
    assert base64.b64decode(pictures[0].data).startswith(b"\x89PNG\r\n\x1a\n")

    glb = (await client.read_resource("maquette://scene.glb")).contents[0]
    assert base64.b64decode(glb.blob).startswith(b"glTF") and glb.mime_type == "model/gltf-binary"
    try:
        await client.read_resource("maquette://nothing")
    except MCPError as error:
        assert "maquette://task" in str(error), error
    else:
        raise AssertionError("a resource that is not there was read")

    reward = (await client.call_tool("episode_reward")).structured_content
    assert reward["outcome"]["value"] >= 0.9, reward
    end = (await client.call_tool("episode_submit", {})).structured_content
    assert end["end"]["reason"] == "SUBMITTED" and end["reward"] == reward, end


async def main(binary: str, url: str) -> None:
    stdio = StdioServerParameters(command=binary, args=["mcp"], env=dict(os.environ))
    # "auto" asks for the newest protocol, which has no sessions, and falls back; "legacy" asks for one with sessions.
    for server in (stdio, url):
        for mode in ("auto", "legacy"):
            async with Client(server, mode=mode, read_timeout_seconds=PATIENCE_SECS) as client:
                await play(client)
    # Two clients have an episode each.
    async with Client(url) as one, Client(url) as other:
        for client in (one, other):
            made = await client.call_tool("node_create", {"name": "crate"})
            assert made.structured_content["changed"] == ["n_1"], made
    print("mcp client: all checks hold")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
