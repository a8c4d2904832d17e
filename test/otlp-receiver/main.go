// Reads an OTLP request with the OpenTelemetry Collector's decoder; prints the spans.
package main

import (
	"encoding/json"
	"log"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

type span struct {
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	HasParent  bool           `json:"hasParent"`
	Attributes map[string]any `json:"attributes"`
}

func main() {
	body, err := os.ReadFile(os.Args[1])
	check(err)
	request := ptraceotlp.NewExportRequest()
	check(request.UnmarshalJSON(body))
	read := []span{}
	for _, resource := range request.Traces().ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, one := range scope.Spans().All() {
				read = append(read, span{
					Name:       one.Name(),
					Kind:       one.Kind().String(),
					HasParent:  !one.ParentSpanID().IsEmpty(),
					Attributes: one.Attributes().AsRaw(),
				})
			}
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(read))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
