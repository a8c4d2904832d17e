// Creates a workflow, triggers a run and reads it; prints what the test compares.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"example.com/exercise/client"
)

func main() {
	baseURL, apiKey := os.Args[1], os.Args[2]
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+apiKey)
		return nil
	}
	api, err := client.NewClientWithResponses(baseURL, client.WithRequestEditorFn(authorize))
	check(err)
	crew := []client.CrewEntry{{Role: "r", SystemPrompt: "s"}}
	workflow, err := api.WorkflowsCreateWithResponse(ctx, nil, client.CreateWorkflow{Name: "w", Crew: &crew})
	check(err)
	key := "go"
	input := "from go"
	started, err := api.RunsCreateWithResponse(
		ctx,
		workflow.JSON201.Data.Id,
		&client.RunsCreateParams{IdempotencyKey: &key},
		client.CreateRun{Input: &input},
	)
	check(err)
	wait := int64(20)
	params := client.RunsRetrieveParams{Wait: &wait}
	run, err := api.RunsRetrieveWithResponse(ctx, started.JSON202.Data.Id, &params)
	check(err)
	refused, err := api.RunsRetrieveWithResponse(ctx, "run_x", nil)
	check(err)
	data := run.JSON200.Data
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"status":  data.Status,
		"output":  data.Output,
		"isTime":  !data.CreatedAt.IsZero(),
		"refused": refused.JSON404.Error.Code,
	}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
