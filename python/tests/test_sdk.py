"""Against a real service: `npm run test:python` starts one."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

import muster
from muster import AsyncMuster, Muster, MusterError
from muster._generated import MessageChanged

api_key = os.environ["MUSTER_API_KEY"]
base_url = os.environ["MUSTER_URL"]


@pytest.fixture
def client() -> Any:
    with Muster(api_key=api_key, base_url=base_url) as one:
        yield one


def make_workflow(client: Muster, prompt: str = "Answer.") -> str:
    return client.workflows.create(
        name="Python", crew=[{"role": "clerk", "systemPrompt": prompt}], model="test/echo"
    ).id


def test_a_run_is_created_streamed_and_read(client: Muster) -> None:
    run = client.runs.create(make_workflow(client), input="go")
    assert run.status == "queued"
    types = [event.type for event in client.runs.stream(run.id)]
    assert types[0] == "run.queued" and types[-1] == "run.completed"
    done = client.runs.wait(run.id, until="end", timeout=20)
    assert done.output == done["output"] == "echo: go"
    assert done.steps[0].tokens_in > 0
    assert isinstance(done.steps[0], muster.ApiObject)


def test_events_are_objects_of_their_type_and_go_on_after_the_last_one(client: Muster) -> None:
    run = client.runs.create(make_workflow(client), input="go")
    events = list(client.runs.stream(run.id))
    assert type(events[-1]).__name__ == "RunCompletedEvent"
    later = list(client.runs.stream(run.id, after=events[0].sequence))
    assert [event.sequence for event in later] == [event.sequence for event in events[1:]]


def test_text_of_models_comes_between_the_events(client: Muster) -> None:
    texts: list[str] = []
    run = client.runs.create(make_workflow(client), input="go", deltas=True)
    list(client.runs.stream(run.id, on_text=lambda text: texts.append(text.text)))
    assert client.runs.retrieve(run.id).status == "completed"


def test_a_question_is_answered(client: Muster) -> None:
    workflow_id = client.workflows.create(
        name="Asks",
        crew=[{"role": "clerk", "systemPrompt": "Ask first."}],
        human_in_the_loop={"enabled": True},
        model="test/echo",
    ).id
    run = client.runs.wait(client.runs.create(workflow_id, input="go").id, timeout=20)
    assert run.status == "waiting_input"
    assert run.pending is not None
    client.runs.respond(run.id, action="input", input="Line 4", pending_id=run.pending.id)
    assert client.runs.wait(run.id, until="end", timeout=20).status == "completed"


def test_lists_go_through_all_pages(client: Muster) -> None:
    workflow_id = make_workflow(client)
    made = [client.runs.create(workflow_id, input=str(number)).id for number in range(5)]
    page = client.runs.list(workflow_id, limit=2)
    assert len(page.items) == 2 and page.has_next
    assert [run.id for run in page] == made[::-1]
    following = page.next()
    assert following is not None and [run.id for run in following.items] == made[2:0:-1]


def test_the_same_key_takes_effect_once(client: Muster) -> None:
    workflow_id = make_workflow(client)
    ids = {client.runs.create(workflow_id, input="x", idempotency_key="once").id for _ in range(3)}
    assert len(ids) == 1


def test_failures_have_a_class_for_each_type(client: Muster) -> None:
    with pytest.raises(muster.NotFoundError) as missing:
        client.runs.retrieve("run_none")
    assert (missing.value.status, missing.value.type) == (404, "not_found")
    assert missing.value.request_id is not None
    with pytest.raises(muster.InvalidRequestError) as invalid:
        client.workflows.create(name="")
    assert invalid.value.param == "name"
    with pytest.raises(muster.UnauthenticatedError):
        Muster(api_key="mst_wrong", base_url=base_url).account.retrieve()
    with pytest.raises(muster.ConnectionError) as unreachable:
        Muster(api_key="k", base_url="http://127.0.0.1:9", max_retries=0).account.retrieve()
    assert (unreachable.value.status, unreachable.value.code) == (0, "unreachable")
    with pytest.raises(ValueError, match="base_url"):
        Muster(base_url="127.0.0.1:3000")
    with pytest.raises(TypeError, match="id"):
        client.runs.retrieve("")


def test_null_is_sent_and_what_is_left_out_is_not(client: Muster) -> None:
    agent = client.agents.create(name="a", role="r", systemPrompt="s", model="test/echo")
    assert client.agents.update(agent.id, name="b").model == "test/echo"
    assert client.agents.update(agent.id, model=None).model is None
    with pytest.raises(MusterError) as stale:
        client.agents.update(agent.id, name="c", if_match=1)
    assert stale.value.status == 412


def test_files_are_uploaded_and_read(client: Muster, tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Pumps")
    file = client.files.upload(path)
    assert (file.name, file.media_type) == ("notes.md", "text/markdown")
    assert client.files.content(file.id) == b"# Pumps"
    assert client.files.content(file.id, start=2, end=4) == b"Pu"
    assert client.files.upload("plain", name="x.txt").bytes == 5


def test_batches_are_estimated_run_and_read(client: Muster) -> None:
    workflow_id = make_workflow(client)
    assert client.batches.estimate(workflow_id, items=[{"input": "a"}]).total == 1
    batch = client.batches.create_from_file(workflow_id, "input\na\nb\n", type="csv", name="Two")
    assert client.batches.wait(batch.id, poll=0.1).total == 2
    assert len(client.batches.results(batch.id).splitlines()) == 2


def test_lists_are_read_as_csv(client: Muster) -> None:
    make_workflow(client)
    text = "".join(client.audit.csv(limit=1))
    assert len(re.findall(r"(?m)^created_at|^\w+,action", text)) <= 1
    assert "workflow.created" in text
    assert isinstance(client.usage.csv(), str)


def test_a_thread_is_written_to_waited_for_and_streamed(client: Muster) -> None:
    workflow = make_workflow(client)
    client.workflows.update(workflow, thread={})
    thread = client.threads.create(workflow_id=workflow)
    message = client.threads.send(thread.id, input="go")
    texts: list[str] = []
    ended = client.threads.wait(thread.id, message, timeout=20, on_text=lambda text: texts.append(text.text))
    assert ended.message.status == "answered"
    assert ended.answer is not None and ended.answer.text == "echo: go"
    ids: list[str] = []
    for event in client.threads.stream(thread.id, on_id=ids.append):
        if isinstance(event, MessageChanged) and event.message.status == "answered":
            break
    assert len(ids) > 2 and ids == sorted(ids, key=int)


def test_a_thread_is_waited_for_with_asyncio(client: Muster) -> None:
    workflow = make_workflow(client)
    client.workflows.update(workflow, thread={})

    async def main() -> None:
        async with AsyncMuster(api_key=api_key, base_url=base_url) as other:
            thread = await other.threads.create(workflow_id=workflow)
            message = await other.threads.send(thread.id, input="go")
            ended = await other.threads.wait(thread.id, message, timeout=20)
            assert ended.answer is not None and ended.answer.text == "echo: go"

    asyncio.run(main())


def test_changes_of_the_account_are_streamed(client: Muster) -> None:
    seen: list[str] = []
    opened = threading.Event()

    def follow() -> None:
        for event in client.events.stream(on_open=opened.set):
            seen.append(event.type)
            return

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    assert opened.wait(10)
    client.runs.create(make_workflow(client), input="go")
    thread.join(10)
    assert seen == ["run.changed"]


def test_asyncio_has_the_same() -> None:
    async def main() -> None:
        async with AsyncMuster(api_key=api_key, base_url=base_url) as client:
            crew: Any = [{"role": "clerk", "systemPrompt": "Answer."}]
            workflow = await client.workflows.create(name="Async", crew=crew, model="test/echo")
            runs = [await client.runs.create(workflow.id, input="go") for _ in range(3)]
            types = [event.type async for event in client.runs.stream(runs[0].id)]
            assert types[-1] == "run.completed"
            assert (await client.runs.wait(runs[1].id, timeout=20)).status == "completed"
            listed = [run.id async for run in client.runs.list(workflow.id, limit=2)]
            assert listed == [run.id for run in reversed(runs)]
            page = await client.runs.list(workflow.id, limit=1)
            assert len(page.items) == 1 and page.has_next
            file = await client.files.upload(b"x", name="a.txt")
            assert await client.files.content(file.id) == b"x"
            with pytest.raises(muster.NotFoundError):
                await client.runs.retrieve("run_none")
            async for event in client.events.stream(on_open=lambda: None):
                assert event.type == "run.changed"
                break

    async def with_changes() -> None:
        with Muster(api_key=api_key, base_url=base_url) as other:
            workflow_id = make_workflow(other)
            task = asyncio.create_task(main())
            while not task.done():
                await asyncio.to_thread(other.runs.create, workflow_id, input="go")
                await asyncio.sleep(0.2)
            await task

    asyncio.run(asyncio.wait_for(with_changes(), 60))


def test_the_examples_of_the_readmes_do_what_they_show(client: Muster) -> None:
    folder = Path(__file__).parent.parent
    blocks = [
        block
        for name in ("../README.md", "README.md")
        for block in re.findall(r"(?s)```python\n(.*?)```", (folder / name).read_text())
    ]
    assert len(blocks) == 6
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert names["done"].status == "completed"
    assert names["receive"](b"{}", {}, "whsec_" + "A" * 44) == 400


def make_tool_workflow(client: Muster) -> str:
    lookup: Any = {
        "name": "lookup",
        "description": "Looks up an order.",
        "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}},
        "sensitive": False,
    }
    crew: Any = [{"role": "clerk", "systemPrompt": "Look up.", "tools": [lookup]}]
    return client.workflows.create(name="Tools", crew=crew, model="test/echo").id


def test_tools_are_served(client: Muster) -> None:
    seen: list[muster.ServedCall] = []
    stop = threading.Event()

    @client.tools.serve("lookup")
    def lookup(input: dict[str, str], call: muster.ServedCall) -> dict[str, str]:
        seen.append(call)
        return {"state": "shipped " + input["id"]}

    thread = threading.Thread(target=lambda: client.tools.serve(stop=stop))
    thread.start()
    workflow_id = make_tool_workflow(client)
    run = client.runs.wait(client.runs.create(workflow_id, input="go").id, until="end", timeout=30)
    assert run.output is not None and "shipped 7" in run.output
    assert (seen[0].run_id, seen[0].try_) == (run.id, 1)
    stop.set()
    # The open claim ends by a call, like any other.
    client.runs.wait(client.runs.create(workflow_id, input="go").id, until="end", timeout=30)
    thread.join(30)
    with pytest.raises(ValueError, match="none is given"):
        Muster(api_key=api_key, base_url=base_url).tools.serve()
    with pytest.raises(muster.UnauthenticatedError):
        Muster(api_key="mst_wrong", base_url=base_url).tools.serve({"lookup": lookup})


def test_tools_are_served_with_asyncio_and_an_exception_is_told_to_the_agent(client: Muster) -> None:
    async def lookup(input: dict[str, str]) -> None:
        raise ValueError("no such order")

    async def main() -> str | None:
        async with AsyncMuster(api_key=api_key, base_url=base_url) as own:
            task = asyncio.ensure_future(own.tools.serve({"lookup": lookup}))
            run = await own.runs.create(make_tool_workflow(client), input="go")
            output = (await own.runs.wait(run.id, until="end", timeout=30)).output
            task.cancel()
            return output

    assert "no such order" in (asyncio.run(main()) or "")


def test_the_methods_are_those_of_the_typescript_sdk(client: Muster) -> None:
    readme = (Path(__file__).parent.parent.parent / "sdk/README.md").read_text()
    methods = set(re.findall(r"(?m)^muster\.([\w.]+)\(", readme))
    assert len(methods) > 150
    words = {"try": "try_"}
    for owner in (client, AsyncMuster(api_key=api_key, base_url=base_url)):
        for method in methods:
            *path, verb = re.sub(r"([A-Z])", r"_\1", method).lower().split(".")
            found: Any = owner
            for name in [*path, words.get(verb, verb)]:
                found = getattr(found, name, None)
            assert callable(found), method


def test_a_stream_that_is_cut_goes_on_after_the_last_event(flaky: Muster) -> None:
    stream = {"content-type": "text/event-stream"}

    def events(*numbers: int) -> str:
        kinds = {1: "run.queued", 2: "run.started", 3: "run.completed"}
        return "".join(
            f'id: {number}\ndata: {{"type": "{kinds[number]}", "sequence": {number}, "data": {{}}}}\n\n'
            for number in numbers
        )

    running: tuple[int, dict[str, str], str] = (200, {}, '{"data": {"id": "run_1", "status": "running"}}')
    Flaky.answers = [(200, stream, events(1)), running, (200, stream, events(1, 2)), running]
    Flaky.answers.append((200, stream, events(3)))
    assert [event.sequence for event in flaky.runs.stream("run_1")] == [1, 2, 3]


def test_the_package_is_small_and_quick_to_import() -> None:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import muster"], check=True)
    assert time.monotonic() - began < 10
    package = Path(muster.__file__).parent
    # A wheel is compressed to about a tenth of it.
    assert sum(file.stat().st_size for file in package.glob("*.py")) < 1_500_000


class Flaky(BaseHTTPRequestHandler):
    """Answers as it is told, and remembers what came."""

    answers: ClassVar[list[tuple[int, dict[str, str], str]]] = []
    came: ClassVar[list[tuple[str, str | None]]] = []

    def answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        self.rfile.read(length)
        Flaky.came.append((self.command, self.headers.get("idempotency-key")))
        status, headers, body = Flaky.answers.pop(0)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_POST = do_PATCH = answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def flaky() -> Any:
    server = HTTPServer(("127.0.0.1", 0), Flaky)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Flaky.answers, Flaky.came = [], []
    yield Muster(api_key="k", base_url=f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()


ok: tuple[int, dict[str, str], str] = (200, {}, '{"data": {"id": "run_1", "status": "completed"}}')


def test_what_is_safe_is_tried_again_with_the_same_key(flaky: Muster) -> None:
    Flaky.answers = [(503, {"retry-after": "0"}, "<b>away</b>"), (502, {}, ""), ok]
    assert flaky.runs.create("wf_1", input="x").id == "run_1"
    assert len({key for _, key in Flaky.came}) == 1 and len(Flaky.came) == 3


def test_a_change_is_not_tried_again(flaky: Muster) -> None:
    Flaky.answers = [(503, {}, "<b>away</b>")]
    with pytest.raises(muster.UnexpectedAnswerError, match="503, not from Muster: away"):
        flaky.agents.update("agt_1", name="x")
    assert len(Flaky.came) == 1


def test_retry_after_is_kept_and_a_time_limit_too(flaky: Muster) -> None:
    body = '{"error": {"type": "rate_limited", "code": "rate_limited", "message": "m", "request_id": "r"}}'
    Flaky.answers = [(429, {"retry-after": "1"}, body), ok]
    began = time.monotonic()
    assert flaky.runs.retrieve("run_1").status == "completed"
    assert time.monotonic() - began >= 1
    Flaky.answers = [(429, {"retry-after": "60"}, body)]
    with pytest.raises(muster.RateLimitedError) as limited:
        flaky.runs.retrieve("run_1", timeout=5)
    assert limited.value.retry_after == 60


def test_redirects_are_not_followed(flaky: Muster) -> None:
    Flaky.answers = [(307, {"location": "http://elsewhere.example/"}, "")]
    with pytest.raises(muster.UnexpectedAnswerError) as redirected:
        flaky.runs.retrieve("run_1")
    assert redirected.value.code == "redirected"


def test_an_answer_with_more_or_less_fields_is_read(flaky: Muster) -> None:
    Flaky.answers = [(200, {}, '{"data": {"id": "run_1", "newer": {"a": 1}}}')]
    run = flaky.runs.retrieve("run_1")
    assert run["newer"] == {"a": 1}
    assert run.output is None and "output" not in run
    with pytest.raises(AttributeError, match="misspelled"):
        run.misspelled  # type: ignore[attr-defined]  # noqa: B018
