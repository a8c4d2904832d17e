import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useChannels } from '../../data/channels.ts'
import { plural } from '../../ui/text/format.ts'
import { Dot } from '../../ui/status.tsx'

/** Whether channels work; nothing if there are none. */
export function Channels(): ReactNode {
  const { data = [] } = useChannels()
  const active = data.filter((one) => one.active)
  if (active.length === 0) return null
  const failing = active.filter(({ state }) => state === 'failing')
  return (
    <Link to="/channels" className="hover:underline">
      {failing.length === 0 ? (
        <Dot tone="ok">{plural(active.length, 'channel')} working</Dot>
      ) : (
        <Dot tone="bad">
          {failing.length === 1
            ? `Channel ${failing[0]?.name ?? ''} fails`
            : `${failing.length} channels fail`}
        </Dot>
      )}
    </Link>
  )
}
