import { useParams } from '@tanstack/react-router'
import { useCallback, type ReactNode } from 'react'
import { helpAddress } from '../../data/help-address.ts'
import { useHelpPage } from '../../data/help.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'

/** This version's docs. */
export function HelpScreen(): ReactNode {
  const { _splat = '' } = useParams({ strict: false })
  const page = _splat === '' ? 'README' : _splat
  const { data: text, error, isPending } = useHelpPage(page)
  const linkTo = useCallback((href: string) => helpAddress(page, href), [page])
  if (text === null) return <NotFound />
  const [, title = 'Documentation', body = ''] = /^# (.+)\n([^]*)$/.exec(text ?? '') ?? []
  return (
    <Page
      title={title}
      {...(page !== 'README' && { above: <WayBack to="/help" label="Documentation" /> })}
    >
      {isPending && <Loading />}
      {error !== null && <Failure error={error} />}
      <div className="max-w-3xl">
        <Markdown text={body} limit={100_000} linkTo={linkTo} />
      </div>
    </Page>
  )
}
