import { useState } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { mergeHeld } from '../../parts/runs/merge-held.ts'

/** Runs selected for an action on all of them. */
export interface Choice {
  /** The runs to select from: their order is frozen during a selection, their state is current. */
  runs: Run[]
  ids: ReadonlySet<string>
  toggle: (id: string) => void
  set: (ids: Iterable<string>) => void
  /** Replaces a run by its new state after an action, for lists that no longer contain it. */
  replace: (run: Run) => void
  end: () => void
}

interface State {
  list: string
  held: Run[]
  ids: ReadonlySet<string>
}

/** The selection belongs to the list of this name; undefined outside selection mode. */
export function useChoice(
  list: string,
  latest: Run[],
): { choice: Choice | undefined; begin: () => void } {
  const [state, setState] = useState<State>()
  const begin = () => setState({ list, held: latest, ids: new Set() })
  if (state?.list !== list) return { choice: undefined, begin }
  const change = (next: (state: State) => Partial<State>) =>
    setState((state) => state && { ...state, ...next(state) })
  return {
    begin,
    choice: {
      runs: mergeHeld(state.held, latest).runs,
      ids: state.ids,
      toggle: (id) => change(({ ids }) => ({ ids: ids.symmetricDifference(new Set([id])) })),
      set: (ids) => change(() => ({ ids: new Set(ids) })),
      replace: (run) =>
        change(({ held }) => ({ held: held.map((one) => (one.id === run.id ? run : one)) })),
      end: () => setState(undefined),
    },
  }
}
