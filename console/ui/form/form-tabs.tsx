import { Tabs } from '@base-ui/react/tabs'
import { useState, type ReactNode } from 'react'
import { isIn, type Fields } from './fields.ts'

interface Part {
  name: string
  /** The API's names of its fields. */
  params: readonly string[]
  view: ReactNode
}

interface Props {
  label: string
  tabs: readonly Part[]
  fault: Fields<object>['fault']
}

/** Tabs of a long form. An error opens the tab with its field. */
export function FormTabs({ label, tabs, fault }: Props): ReactNode {
  const [chosen, setChosen] = useState({ tab: tabs[0]?.name, fault })
  const faulty = tabs.find(({ params }) => params.some((param) => isIn(param, fault)))?.name
  if (chosen.fault?.param !== fault?.param) setChosen({ tab: faulty ?? chosen.tab, fault })
  return (
    <Tabs.Root
      value={chosen.tab}
      onValueChange={(tab) => setChosen({ tab: String(tab), fault })}
      className="mb-8"
    >
      <Tabs.List
        aria-label={label}
        className="mb-4 flex gap-2 overflow-x-auto border-b [scrollbar-width:none]"
      >
        {tabs.map(({ name }) => (
          <Tabs.Tab
            key={name}
            value={name}
            className="-mb-px flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2 text-sm text-ink-soft hover:text-ink pointer-coarse:h-11 data-active:border-accent data-active:font-medium data-active:text-ink"
          >
            {name}
            {name === faulty && (
              <span className="size-1.5 rounded-full bg-bad" role="img" aria-label="has an error" />
            )}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, view }) => (
        <Tabs.Panel key={name} value={name}>
          {view}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  )
}
