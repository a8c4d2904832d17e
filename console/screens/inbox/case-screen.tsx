import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft, CircleSlash } from 'lucide-react'
import type { ReactNode } from 'react'
import { Failure } from '../../ui/failure.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { Case } from './case.tsx'
import { Unsent } from './closed.tsx'
import { CaseOfCalls } from './case-of-calls.tsx'
import { useHasNext, useStep } from './inbox-screen.tsx'
import { useCase, usePending } from '../../data/inbox.ts'

export function CaseScreen(): ReactNode {
  const { pendingId } = useParams({ from: '/inbox/$pendingId' })
  const list = usePending()
  const { waiting, opened, isListed, isLooking, error } = useCase(pendingId)
  const step = useStep()
  const next = useHasNext() ? () => step(1) : undefined
  return (
    <>
      <Link
        to="/inbox"
        className="mb-3 -ml-1 inline-flex h-11 items-center gap-1 text-sm text-ink-soft lg:hidden"
      >
        <ArrowLeft size={16} aria-hidden="true" /> All requests
      </Link>
      {waiting !== undefined ? (
        opened !== undefined && opened.pending.case_id !== undefined ? (
          <CaseOfCalls
            key={pendingId}
            waiting={waiting}
            opened={opened}
            isListed={isListed}
            next={next}
          />
        ) : (
          <Case key={pendingId} waiting={waiting} isListed={isListed} next={next} />
        )
      ) : isLooking ? (
        <Loading lines={8} />
      ) : list.error !== null ? (
        // On wide screens the list beside it says so.
        <div className="lg:hidden">
          <Failure error={list.error} retry={() => void list.refetch()} />
        </div>
      ) : error !== null ? (
        <Failure error={error} />
      ) : (
        <Empty icon={CircleSlash} title="This request is no longer open" help="approvals" isPage>
          <p>It was answered, it expired, or it never was in this account.</p>
          <Unsent pendingId={pendingId} />
        </Empty>
      )}
    </>
  )
}
