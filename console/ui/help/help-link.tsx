import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { helpTopics, type HelpTopic } from './topics.ts'

interface Props {
  topic: HelpTopic
  /** For dialogs, whose input must not be left. */
  isNewTab?: boolean
}

/** A link to the page of the docs about a topic. */
export function HelpLink({ topic, isNewTab = false }: Props): ReactNode {
  const { page, about } = helpTopics[topic]
  const [name, hash] = page.split('#')
  const to: string = `/help/${name}`
  // An opener shares its session storage, so the new tab is signed in too.
  const tab = isNewTab ? { target: '_blank', rel: 'opener' } : {}
  return (
    <Link to={to} {...(hash !== undefined && { hash })} {...tab} className="link text-sm">
      About {about}
      {isNewTab && <span className="sr-only"> (new tab)</span>}
    </Link>
  )
}
