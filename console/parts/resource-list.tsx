import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFind } from '../ui/find.tsx'
import type { HelpTopic } from '../ui/help/topics.ts'
import { List, type Query } from '../ui/list.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusFilter, type States } from '../ui/status-filter.tsx'

interface ResourceProps<T> {
  title: string
  /** Name of the list; by default the title. */
  label?: string
  above?: ReactNode
  about?: string
  actions?: ReactNode
  query: Query<T>
  lines?: number
  /** The text that the search looks in; without it, the list has no search. */
  textOf?: (item: T) => string
  empty: { icon: LucideIcon; title: string; help: HelpTopic; text: ReactNode; action?: ReactNode }
  children: (item: T) => ReactNode
}

/** The screen of a resource: all of the account, as rows, with a search. */
export function ResourceList<T extends object>(props: ResourceProps<T>): ReactNode {
  const { title, label = title, above, about, actions, query, lines, textOf, children } = props
  const { text, action, ...empty } = props.empty
  const find = useFind(textOf ?? (() => ''))
  return (
    <Page {...{ title, above, about, actions }}>
      <List
        {...{ label, query, lines }}
        find={textOf && find}
        empty={
          <Empty {...empty}>
            <p>{text}</p>
            {action}
          </Empty>
        }
      >
        {children}
      </List>
    </Page>
  )
}

interface OutcomeProps<T, Status extends string> {
  title: string
  /** What the items are called, such as `deliveries`. */
  noun: string
  query: Query<T>
  states: States<Status>
  /** The chosen status and how it is chosen, of `useStatus`. */
  chosen: [status: Status | '', choose: (status: Status | '') => void]
  empty: { icon: LucideIcon; title: string; help: HelpTopic | null; text?: ReactNode }
  head?: ReactNode
  idOf?: (item: T) => string
  children: (item: T) => ReactNode
}

/** What became of the items of a resource, newest first, with a filter by status. */
export function OutcomeList<T extends object, Status extends string>(
  props: OutcomeProps<T, Status>,
): ReactNode {
  const { title, noun, query, states, head, idOf, children } = props
  const [status, choose] = props.chosen
  const { icon, help, text } = props.empty
  const isFiltered = status !== ''
  return (
    <Section
      title={title}
      aside={
        <StatusFilter
          label={`Status of the ${noun}`}
          states={states}
          value={status}
          onChange={choose}
        />
      }
    >
      <List
        {...{ label: title, query, head, idOf }}
        empty={
          <Empty
            icon={icon}
            help={help}
            title={isFiltered ? `No matching ${noun}` : props.empty.title}
          >
            {isFiltered ? undefined : text}
          </Empty>
        }
      >
        {children}
      </List>
    </Section>
  )
}
