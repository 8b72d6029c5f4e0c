# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for tests of pages, spoken to in its DevTools protocol over the web socket of tornado."""

import asyncio
import base64
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import needs
from tornado.websocket import WebSocketClientConnection, websocket_connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WHY_NOT = str(needs.missing("chromium"))
# Whatever the page asks for must fail: no name resolves, and what goes on behind a browser's back is off.
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-port=0",
)  # fmt: skip
START_S, ANSWER_S = 60, 60
TROUBLE = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")


class Tab:
    """An open page."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.trouble: list[str] = []
        """Exceptions, what the console was told, violations of the security policy."""
        self.requests: list[str] = []
        """Every address that was asked for, blocked or not."""
        self.blocked: list[str] = []
        """Why, for each that was blocked."""
        self._events: list[str] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A DevTools command and its result."""
        self._number += 1
        await self._socket.write_message(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = await self._message()
            if message.get("id") == self._number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]

    async def event(self, name: str) -> None:
        """Waits for an event."""
        while name not in self._events:
            await self._message()
        self._events.remove(name)

    async def until(self, there: Callable[[], object]) -> None:
        """Lets the browser work until something is there."""
        deadline = time.monotonic() + ANSWER_S
        while not there():
            assert time.monotonic() < deadline, "it did not come"
            await self.js("new Promise(resolve => setTimeout(resolve, 20))")

    async def js(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def size(self, width: int, height: int = 844) -> None:
        """As a screen of so many pixels."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    async def open(self, page: Path) -> None:
        """Loads a file."""
        await self.call("Page.navigate", url=page.resolve().as_uri())
        await self.event("Page.loadEventFired")

    async def media(self, media: str = "", *, dark: bool = False) -> None:
        """On a screen or, with "print", on paper, for who likes it dark or light."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    async def picture(self, file: Path) -> None:
        """The whole page, as it looks now, into a PNG."""
        shot = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    async def _message(self) -> dict[str, Any]:
        text = await asyncio.wait_for(self._socket.read_message(), ANSWER_S)
        assert text is not None, "chromium has gone"
        message = json.loads(text)
        name = message.get("method")
        if name in TROUBLE:
            self.trouble.append(json.dumps(message["params"]))
        elif name == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        elif name == "Network.loadingFailed":
            self.blocked.append(message["params"].get("blockedReason", ""))
        elif name is not None:
            self._events.append(name)
        return message


def with_page(page: Path, folder: Path, use: Callable[[Tab], Any], width: int = 1280) -> Tab:
    """Opens a file at a width, awaits `use(tab)`, and gives the tab back for its `trouble` and `requests`."""
    return asyncio.run(_with_page(page, folder, use, width))


async def _with_page(page: Path, folder: Path, use: Callable[[Tab], Any], width: int) -> Tab:
    assert CHROMIUM is not None, WHY_NOT
    profile = folder / "profile"
    with subprocess.Popen(
        [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            tab = Tab(await websocket_connect(await _address(profile), max_message_size=1 << 28))
            for domain in ("Page", "Runtime", "Log", "Network"):
                await tab.call(f"{domain}.enable")
            await tab.size(width)
            await tab.open(page)
            await use(tab)
            return tab
        finally:
            process.terminate()


async def _address(profile: Path) -> str:
    """Of the first tab's web socket."""
    from tornado.httpclient import AsyncHTTPClient

    file = profile / "DevToolsActivePort"
    for _ in range(START_S * 20):
        if file.exists() and "\n" in (text := file.read_text()):
            answer = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{text.splitlines()[0]}/json/list")
            pages = [target for target in json.loads(answer.body) if target["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
        await asyncio.sleep(0.05)
    raise AssertionError("chromium did not start")
