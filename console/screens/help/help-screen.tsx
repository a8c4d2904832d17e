import { useParams } from '@tanstack/react-router'
import { useMemo, type ReactNode } from 'react'
import { helpAddress, helpPicture } from '../../data/help/address.ts'
import { useHelpPage } from '../../data/help/pages.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Markdown, type Docs } from '../../ui/text/markdown.tsx'
import { FindHelp } from './find-help.tsx'

/** This version's docs. */
export function HelpScreen(): ReactNode {
  const { _splat = '' } = useParams({ strict: false })
  const page = _splat === '' ? 'README' : _splat
  const { data: text, error, isPending } = useHelpPage(page)
  const docs = useMemo<Docs>(
    () => ({
      linkTo: (href) => helpAddress(page, href),
      pictureAt: (src) => helpPicture(page, src),
    }),
    [page],
  )
  if (text === null) return <NotFound />
  const [, title = 'Documentation', body = ''] = /^# (.+)\n([^]*)$/.exec(text ?? '') ?? []
  return (
    <Page
      title={title}
      {...(page !== 'README' && { above: <WayBack to="/help" label="Documentation" /> })}
    >
      <div className="max-w-3xl">
        <FindHelp>
          {isPending && <Loading />}
          {error !== null && <Failure error={error} />}
          <Markdown text={body} limit={100_000} docs={docs} />
        </FindHelp>
      </div>
    </Page>
  )
}
