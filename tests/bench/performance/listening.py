"""Event streams without a browser: `python -m tests.bench.performance.listening PORT COUNT PATH` reads
cookies, prints "open" when all streams are open, and on request "done" when each event reached them."""

from __future__ import annotations

import asyncio
import json
import sys
import time

AT_ONCE = 20
LONGEST_LINE = 2**22
# What is under way arrives.
SECONDS_AT_THE_END = 3


async def main(port: int, count: int, path: str) -> None:
    loop = asyncio.get_running_loop()
    cookies = (await loop.run_in_executor(None, sys.stdin.readline)).strip()
    turn = asyncio.Semaphore(AT_ONCE)
    # By event id: first, last, how many.
    heard: dict[str, tuple[float, float, int]] = {}
    writers = []

    async def opened() -> asyncio.StreamReader:
        async with turn:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=LONGEST_LINE)
            request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookies}\r\n\r\n"
            writer.write(request.encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in head.split(b"\r\n", 1)[0]:
                raise RuntimeError(head.decode())
            writers.append(writer)
            return reader

    async def listen(reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            if line.startswith(b"id: "):
                now, event = time.monotonic(), line[4:].strip().decode()
                first, _, times = heard.get(event, (now, now, 0))
                heard[event] = first, now, times + 1

    readers = await asyncio.gather(*(opened() for _ in range(count)))
    listening = [asyncio.create_task(listen(reader)) for reader in readers]
    print("open", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    await asyncio.sleep(SECONDS_AT_THE_END)
    for task in listening:
        task.cancel()
    print(json.dumps(heard), flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
