"""Live pages without a browser: `python -m tests.bench.watching.viewers_streams PORT COUNT PATH` reads
cookies from its input, prints "open" when all streams are open, and after "done" how many events each
received."""

from __future__ import annotations

import asyncio
import sys

AT_ONCE = 20
LONGEST_LINE = 2**22


async def main(port: int, count: int, path: str) -> None:
    loop = asyncio.get_running_loop()
    cookies = (await loop.run_in_executor(None, sys.stdin.readline)).strip()
    turn = asyncio.Semaphore(AT_ONCE)
    heard = [0] * count

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

    async def listen(viewer: int, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            heard[viewer] += line.startswith(b"id: ")

    writers: list[asyncio.StreamWriter] = []
    readers = await asyncio.gather(*(opened() for _ in range(count)))
    listening = [asyncio.create_task(listen(at, reader)) for at, reader in enumerate(readers)]
    print("open", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    # What is still under way arrives.
    await asyncio.sleep(1)
    for task in listening:
        task.cancel()
    print(*heard, flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
