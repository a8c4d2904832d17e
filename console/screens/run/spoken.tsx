import { useEffect, useRef } from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { runStates, stateOf } from '../../data/runs/states.ts'
import { announce } from '../../ui/focus/announce.tsx'
import { explainFailure } from './failure-words.ts'
import { waitsFor } from './notices.tsx'

/** Announces what happens to the run while the page is open: a step, its end, a request. */
export function Spoken({ run }: { run: RunWithSteps }): null {
  const last = useRef(run)
  useEffect(() => {
    const words = wordsFor(last.current, run)
    last.current = run
    if (words !== '') announce(words)
  }, [run])
  return null
}

function wordsFor(before: RunWithSteps, now: RunWithSteps): string {
  if (before.id !== now.id) return ''
  const wasDone = new Set(before.steps.filter(isDone).map(({ order }) => order))
  const steps = now.steps
    .filter((step) => isDone(step) && !wasDone.has(step.order))
    .map(({ order, role }) => `Step ${order + 1}, ${role}, is done.`)
  const hasChanged = stateOf(before) !== stateOf(now) || before.pending?.id !== now.pending?.id
  return [...steps, ...(hasChanged ? [stateWords(now)] : [])].join(' ')
}

function isDone({ finished_at: at }: RunWithSteps['steps'][number]): boolean {
  return at !== null
}

function stateWords(run: RunWithSteps): string {
  if (run.pending !== null) return `${run.pending.role} waits for ${waitsFor(run.pending)}.`
  if (run.status === 'failed') return explainFailure(run).what
  return `The run: ${runStates[stateOf(run)].word.toLowerCase()}.`
}
