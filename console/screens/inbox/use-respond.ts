import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { RespondedRun, WaitingRun } from '../../../sdk/generated.ts'
import { caseIdOf, isOfCase, requestsOf } from '../../data/inbox.ts'
import { useSession } from '../../session/session.tsx'
import { forgetAnswer } from './closed.tsx'

type Body = Parameters<ReturnType<typeof useSession>['muster']['runs']['respond']>[1]

/** Sends an answer to a pending request; then the run and the list are refetched. */
export function useRespond<Answer>(
  waiting: WaitingRun,
  toBody: (answer: Answer) => Body,
): UseMutationResult<RespondedRun, Error, Answer> {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { pendingId = '' } = useParams({ strict: false })
  const { run_id: runId } = waiting
  return useMutation({
    mutationFn: (answer: Answer) => muster.runs.respond(runId, toBody(answer)),
    onSuccess: () => {
      const requests = requestsOf(waiting).map(({ pending }) => pending.id)
      for (const id of [caseIdOf(waiting.pending), ...requests]) forgetAnswer(id)
    },
    onSettled: async (responded) => {
      await queries.invalidateQueries({ queryKey: ['run', runId] })
      await queries.invalidateQueries({ queryKey: ['pending'] })
      // An edit that others have to approve as well makes a new request.
      const cases = queries.getQueryData<WaitingRun[]>(['pending'])
      const anew = cases?.find(({ run_id: id }) => id === runId)
      if (
        responded?.status === 'waiting_input' &&
        anew !== undefined &&
        !isOfCase(anew, pendingId)
      ) {
        const params = { pendingId: caseIdOf(anew.pending) }
        await navigate({ to: '/inbox/$pendingId', params, replace: true })
      }
    },
  })
}
