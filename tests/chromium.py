"""A headless Chromium, driven over its debugging pipe with the standard library alone."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--mute-audio",
    "--remote-debugging-pipe",
]


def find_chromium() -> str | None:
    """The browser's program, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page of a browser with a profile of its own; ends with the `with` block."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="paiad-browser-", ignore_cleanup_errors=True)
        (Path(self._profile.name) / "home").mkdir()
        hears, self._ask = os.pipe()
        self._answer, speaks = os.pipe()
        # The pipe must be the browser's descriptors 3 and 4; the shell puts it there.
        command = f'exec "$@" 3<&{hears} 4>&{speaks}'
        flags = [*FLAGS, f"--user-data-dir={self._profile.name}/profile", "about:blank"]
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", command, "browser", program, *flags],
            pass_fds=(hears, speaks),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": f"{self._profile.name}/home"},
            start_new_session=True,
        )
        os.close(hears)
        os.close(speaks)
        self._unread = b""
        self._count = 0
        self._session: str | None = None
        self.complaints: list[str] = []

    def __enter__(self) -> "Browser":
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")
        self.size(1280, 1100)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._ask)
        os.close(self._answer)
        self._profile.cleanup()

    def call(self, method: str, **parameters: Any) -> Any:
        """Send a command of the debugging protocol and wait for its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._ask, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self._next(deadline)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _next(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._unread:
            if not select.select([self._answer], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self._answer, 1 << 20)
            if not got:
                raise RuntimeError("the browser has ended")
            self._unread += got
        text, _, self._unread = self._unread.partition(b"\0")
        return json.loads(text)

    def _note(self, event: dict[str, Any]) -> None:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(parameters["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if not address.startswith(("file:", "data:", "about:")):
                self.complaints.append(f"asked the network for {address}")

    def open(self, path: Path) -> None:
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.until("document.readyState === 'complete' && document.getElementById('status')?.textContent")

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        got = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(json.dumps(got["exceptionDetails"]))
        return got["result"].get("value")

    def until(self, script: str, seconds: float = 20) -> Any:
        """Wait for an expression to be true, and give its value."""
        deadline = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"never true: {script}")
            time.sleep(0.02)
        return value

    def size(self, width: int, height: int, dark: bool = False) -> None:
        """The window, and whether its user likes it dark."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """kind: mousePressed, mouseMoved, mouseReleased or mouseWheel."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, begin: tuple[float, float], end: tuple[float, float], modifiers: int = 0) -> None:
        held = {"button": "left", "buttons": 1, "modifiers": modifiers}
        self.mouse("mousePressed", *begin, clickCount=1, **held)
        self.mouse("mouseMoved", *((a + b) / 2 for a, b in zip(begin, end, strict=True)), **held)
        self.mouse("mouseMoved", *end, **held)
        self.mouse("mouseReleased", *end, clickCount=1, **held)

    def screenshot(self, path: Path, whole: bool = True) -> None:
        got = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(got["data"]))
