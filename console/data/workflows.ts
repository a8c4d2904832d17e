import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Run, Workflow } from '../../sdk/generated.ts'
import { useAnswer, useList } from '../session/api.ts'

export function useWorkflows(): UseQueryResult<Workflow[]> {
  return useList(['workflows'], (muster, options) => muster.workflows.list(options), {
    staleTime: 15_000,
  })
}

/** The workflow of a form, which is the first one until a person chooses, and the choices. */
export function useChosenWorkflow(chosen: string): {
  workflowId: string
  workflow: Workflow | undefined
  options: { value: string; label: string }[]
} {
  const { data = [] } = useWorkflows()
  const workflowId = chosen === '' ? (data[0]?.id ?? '') : chosen
  return {
    workflowId,
    workflow: data.find(({ id }) => id === workflowId),
    options: data.map(({ id, name }) => ({ value: id, label: name })),
  }
}

/** Names of the workflows of runs. An unknown workflow is fetched before it is shown as deleted. */
export function useWorkflowNames(
  runs: readonly Pick<Run, 'workflow_id'>[],
): (workflowId: string) => string {
  const { data, refetch } = useWorkflows()
  const names = new Map(data?.map(({ id, name }) => [id, name]))
  const ids = new Set(runs.map((run) => run.workflow_id))
  const unknown = data === undefined ? '' : [...ids].filter((id) => !names.has(id)).join()
  const [asked, setAsked] = useState('')
  useEffect(() => {
    if (unknown !== '') void refetch().then(() => setAsked(unknown))
  }, [unknown, refetch])
  const isAsked = unknown !== '' && asked === unknown
  return (id) => names.get(id) ?? (isAsked ? 'A deleted workflow' : '…')
}

/** Refetched at intervals, so that changes by other people show up. */
export function useWorkflow(id: string): UseQueryResult<Workflow> {
  return useAnswer(['workflow', id], (muster, options) => muster.workflows.retrieve(id, options), {
    refetchInterval: 15_000,
  })
}
