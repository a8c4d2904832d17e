"""Creates a workflow, triggers a run and reads it; prints what the test compares."""

import datetime
import json
import sys

from client import AuthenticatedClient
from client.api.runs import runs_create, runs_retrieve
from client.api.workflows import workflows_create
from client.models import CreateRun, CreateWorkflow, CrewEntry, ErrorBody
from client.models.runs_create_response_202 import RunsCreateResponse202
from client.models.runs_retrieve_response_200 import RunsRetrieveResponse200
from client.models.workflows_create_response_201 import WorkflowsCreateResponse201

base_url, api_key = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=api_key)
body = CreateWorkflow(name="w", crew=[CrewEntry(role="r", system_prompt="s")])
workflow = workflows_create.sync(client=client, body=body)
assert isinstance(workflow, WorkflowsCreateResponse201)
started = runs_create.sync(
    workflow.data.id,
    client=client,
    body=CreateRun(input_="from python"),
    idempotency_key="python",
)
assert isinstance(started, RunsCreateResponse202)
run = runs_retrieve.sync(started.data.id, client=client, wait=20)
assert isinstance(run, RunsRetrieveResponse200)
refused = runs_retrieve.sync("run_x", client=client)
assert isinstance(refused, ErrorBody)
print(
    json.dumps(
        {
            "status": run.data.status,
            "output": run.data.output,
            "isTime": isinstance(run.data.created_at, datetime.datetime),
            "refused": refused.error.code,
        }
    )
)
